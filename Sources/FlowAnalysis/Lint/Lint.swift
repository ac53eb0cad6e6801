public import GameFlow
internal import Timers

/// Reads a flow for what nobody can have meant. Everything is asked of the real selector and tried
/// in virtual time; there is no second description that it could be held against.
public struct Lint {
    public let flow: AnyFlow
    /// What becomes in each state of each event and signal.
    public let matrix: [FlowModel]
    public let findings: [Finding]
    /// How many situations were looked into, and whether they were all there are.
    public let explored: (situations: Int, isComplete: Bool)

    public init(_ flow: AnyFlow) {
        if flow.mistakes.isEmpty {
            self.init(Exploration(flow))
        } else {
            self.init(broken: flow)
        }
    }

    /// What a broken flow does says nothing of what is meant.
    private init(broken flow: AnyFlow) {
        self.flow = flow
        matrix = flow.survey
        findings = flow.mistakes.map { .mistake($0) }
        explored = (0, false)
    }

    public init(_ exploration: Exploration) {
        let flow = exploration.flow
        self.flow = flow
        matrix = flow.survey
        explored = (exploration.situations.count, exploration.isComplete)
        findings =
            Self.unreachable(flow, exploration) + Self.deadEvents(flow) + Self.deadEnds(flow)
            + Self.signals(flow) + Self.hopeless(flow, exploration)
            + Self.lost(exploration) + Self.missingRows(flow, exploration)
    }

    /// Of each state, the first situation that a restart would not restore.
    private static func lost(_ exploration: Exploration) -> [Finding] {
        var (asked, found): (Set<StateRecord>, Set<String>) = ([], [])
        return exploration.situations.map(\.place).compactMap { place in
            guard !found.contains(place.state), asked.insert(place).inserted,
                let why = exploration.flow.obstacle(toRestoring: place)
            else { return nil }
            found.insert(place.state)
            return .lostAtRestart(state: place.state, data: place.data, why: why.sentence)
        }
    }

    /// The rows that were taken and that the survey, which clients see, does not have.
    private static func missingRows(_ flow: AnyFlow, _ exploration: Exploration) -> [Finding] {
        var known: Set<Exploration.Row> = []
        for state in flow.survey {
            for row in state.transitions {
                known.insert(Exploration.Row(from: state.state, on: row.on, to: row.to))
            }
        }
        return exploration.edges.flatMap(\.rows).filter { known.insert($0).inserted }.map {
            .missingRow(from: $0.from, on: $0.on, to: $0.to)
        }
    }

    /// What is not found in an exploration that was given up may still be there.
    private static func unreachable(_ flow: AnyFlow, _ exploration: Exploration) -> [Finding] {
        guard exploration.isComplete else { return [] }
        let reached = exploration.states
        return flow.stateNames.filter { !reached.contains($0) }.map { .unreachableState($0) }
    }

    private static func deadEvents(_ flow: AnyFlow) -> [Finding] {
        flow.events.map(\.name).filter { event in
            !flow.survey.contains { $0.verdicts.contains { $0.on == event && $0.isAccepted } }
        }.map { .deadEvent($0) }
    }

    private static func deadEnds(_ flow: AnyFlow) -> [Finding] {
        flow.survey.filter { state in
            !flow.finals.contains(state.state) && state.timers.isEmpty
                && state.successors.allSatisfy { $0 == state.state }
        }.map { .deadEnd($0.state) }
    }

    private static func signals(_ flow: AnyFlow) -> [Finding] {
        let unsent = flow.signals.filter { signal in
            !flow.survey.contains { $0.timer(signal) != nil }
        }
        return unsent.map { .unsentSignal($0) } + flow.survey.flatMap { signals(of: $0, flow) }
    }

    private static func signals(of state: FlowModel, _ flow: AnyFlow) -> [Finding] {
        let name = state.state
        if flow.finals.contains(name) {
            return state.timers.map { .finalTimer(state: name, signal: $0.fires) }
        }
        let timers = state.timers.map(\.fires)
        let idle = state.verdicts.filter { verdict in
            verdict.isSignal && verdict.isAccepted && state.timer(verdict.on) == nil
                && flow.survey.contains { $0.timer(verdict.on) != nil }
        }
        return timers.filter { refuses($0, name, flow) }.map {
            .unhandledSignal(state: name, signal: $0)
        } + idle.map { .idleRow(state: name, signal: $0.on) }
            + state.timers.filter { $0.info.total == .zero }.map {
                .instantTimer(state: name, signal: $0.fires)
            }
    }

    /// Whether the state refuses the signal of a timer that it has, with any of its data.
    private static func refuses(_ signal: String, _ state: String, _ flow: AnyFlow) -> Bool {
        flow.dataSamples(of: state).contains { data in
            let trial = Trial(flow, openedIn: state, data)
            guard trial.machine.timer(signal) != nil, let tag = flow.signals.firstIndex(of: signal)
            else { return false }
            trial.machine.due(UInt8(tag), missed: 0)
            return !trial.refusals.isEmpty
        }
    }

    /// A timer can win if there is a situation in which it fires while nothing else is done. Which of a
    /// state's timers comes first is settled when the state is entered, so a state's entries are tried;
    /// those that no move leads to, with samples of their data, are tried as well.
    private static func hopeless(_ flow: AnyFlow, _ exploration: Exploration) -> [Finding] {
        flow.survey.filter { !flow.finals.contains($0.state) }.flatMap { state -> [Finding] in
            let opened = flow.dataSamples(of: state.state).map { data in
                { Trial(flow, openedIn: state.state, data) }
            }
            let reached = exploration.situations.filter { $0.place.state == state.state }
                .map { situation in { Trial(flow, after: situation.path) } }
            var hopeless = state.timers.map(\.fires)
            for make in opened + reached where !hopeless.isEmpty {
                let trial = make()
                let fired = trial.firedBeforeLeaving(hopeless)
                // A wait that was given up says nothing against those that did not come.
                hopeless.removeAll { fired.contains($0) || trial.isTired }
            }
            return hopeless.map { .hopelessTimer(state: state.state, signal: $0) }
        }
    }
}
