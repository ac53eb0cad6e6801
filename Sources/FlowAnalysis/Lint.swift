public import GameFlow
internal import JSONCoding
internal import Timers

/// Finds defects in a flow, by calling its selector and by trying the flow in virtual time. `gamectl lint` prints the result.
/// Each private function below returns the findings of one or several cases of `Finding`, which explain them.
public struct Lint {
    public let flow: AnyFlow
    /// The outcome of each event and signal in each state.
    public let matrix: [StateSurvey]
    public let findings: [Finding]
    /// How many situations were tried, and whether the exploration was complete.
    public let explored: (situations: Int, isComplete: Bool)

    /// Examines a flow. If the flow has mistakes, they are the only findings.
    public init(_ flow: AnyFlow) {
        if flow.mistakes.isEmpty {
            self.init(Exploration(flow))
        } else {
            self.init(withMistakes: flow)
        }
    }

    /// Reports only the mistakes of `flow`, because trials of a flow with mistakes would lead to misleading findings.
    private init(withMistakes flow: AnyFlow) {
        self.flow = flow
        matrix = flow.survey
        findings = flow.mistakes.map { .mistake($0) }
        explored = (0, false)
    }

    /// Examines the flow of an exploration; the flow must have no mistakes.
    public init(_ exploration: Exploration) {
        let flow = exploration.flow
        self.flow = flow
        matrix = flow.survey
        explored = (exploration.situations.count, exploration.isComplete)
        findings =
            Self.unreachableStates(flow, exploration) + Self.deadEvents(flow) + Self.deadEnds(flow)
            + Self.signalFindings(flow) + Self.hopelessTimers(flow, exploration)
            + Self.statesLostAtRestart(exploration) + Self.missingTransitions(flow, exploration)
            + Self.brokenInvariants(exploration)
    }

    private static func brokenInvariants(_ exploration: Exploration) -> [Finding] {
        exploration.brokenInvariants.map { sentence, situation in
            .brokenInvariant(
                sentence, state: "\(situation.place)", path: situation.path.map(\.text))
        }
    }

    /// For each state, the first situation that a restart could not restore.
    private static func statesLostAtRestart(_ exploration: Exploration) -> [Finding] {
        var (checked, reportedStates): (Set<StateRecord>, Set<String>) = ([], [])
        return exploration.situations.map(\.place).compactMap { record in
            guard !reportedStates.contains(record.state), checked.insert(record).inserted,
                let why = exploration.flow.obstacle(toRestoring: record)
            else { return nil }
            reportedStates.insert(record.state)
            return .lostAtRestart(state: record.state, data: record.data, why: why.sentence)
        }
    }

    /// The transitions that the exploration observed and the flow's survey lacks. Clients see only the survey, through the
    /// methods `describe` and `graph`.
    private static func missingTransitions(_ flow: AnyFlow, _ exploration: Exploration) -> [Finding]
    {
        var knownTransitions: Set<Exploration.NamedTransition> = []
        for state in flow.survey {
            for transition in state.transitions {
                knownTransitions.insert(
                    Exploration.NamedTransition(
                        from: state.state, on: transition.on, to: transition.to))
            }
        }
        return exploration.edges.flatMap(\.transitions)
            .filter { knownTransitions.insert($0).inserted }
            .map { .missingRow(from: $0.from, on: $0.on, to: $0.to) }
    }

    /// Empty if the exploration is incomplete, because then states that were not found may be reachable.
    private static func unreachableStates(_ flow: AnyFlow, _ exploration: Exploration) -> [Finding]
    {
        guard exploration.isComplete else { return [] }
        let reached = exploration.states
        return flow.stateNames.filter { !reached.contains($0) }.map { .unreachableState($0) }
    }

    private static func deadEvents(_ flow: AnyFlow) -> [Finding] {
        flow.events.map(\.name).filter { event in
            !flow.survey.contains { $0.results.contains { $0.on == event && $0.isAccepted } }
        }.map { .deadEvent($0) }
    }

    private static func deadEnds(_ flow: AnyFlow) -> [Finding] {
        flow.survey.filter { state in
            !flow.finals.contains(state.state) && state.timers.isEmpty
                && state.successors.allSatisfy { $0 == state.state }
        }.map { .deadEnd($0.state) }
    }

    private static func signalFindings(_ flow: AnyFlow) -> [Finding] {
        let unsent = flow.signals.filter { signal in
            !flow.survey.contains { $0.timer(signal) != nil }
        }
        return unsent.map { .unsentSignal($0) }
            + flow.survey.flatMap { signalFindings(of: $0, flow) }
    }

    private static func signalFindings(of state: StateSurvey, _ flow: AnyFlow) -> [Finding] {
        let name = state.state
        if flow.finals.contains(name) {
            return state.timers.map { .finalTimer(state: name, signal: $0.fires) }
        }
        let timers = state.timers.map(\.fires)
        let idleResults = state.results.filter { result in
            result.isSignal && result.isAccepted && state.timer(result.on) == nil
                && flow.survey.contains { $0.timer(result.on) != nil }
        }
        return timers.filter { refusesSignalOfOwnTimer($0, name, flow) }.map {
            .unhandledSignal(state: name, signal: $0)
        } + idleResults.map { .idleRow(state: name, signal: $0.on) }
            + state.timers.filter { $0.info.total == .zero }.map {
                .instantTimer(state: name, signal: $0.fires)
            }
    }

    /// Whether the state refuses `signal` although its own timer sends it, with at least one sample of the state's data.
    private static func refusesSignalOfOwnTimer(
        _ signal: String, _ state: String, _ flow: AnyFlow
    ) -> Bool {
        flow.dataSamples(of: state).contains { data in
            let trial = Trial(flow, openedIn: state, data)
            guard trial.machine.timer(signal) != nil,
                let index = flow.signals.firstIndex(of: signal)
            else { return false }
            trial.machine.fireNow(flow.signalTags[index])
            return !trial.refusals.isEmpty
        }
    }

    /// Timers that never fire, because the signal of another timer always ends the visit of the state first. The order of the
    /// timers is decided when the state is entered. So there is one trial for each sample of the state's data, which enters the
    /// state with this sample. There is also one trial for each situation of the state that the exploration found.
    private static func hopelessTimers(_ flow: AnyFlow, _ exploration: Exploration) -> [Finding] {
        flow.survey.filter { !flow.finals.contains($0.state) }.flatMap { state -> [Finding] in
            // Closures, because most trials are not needed: soon every timer of the state has fired once.
            let sampleTrialMakers = flow.dataSamples(of: state.state).map { data in
                { Trial(flow, openedIn: state.state, data) }
            }
            let reachedTrialMakers = exploration.situations
                .filter { $0.place.state == state.state }
                .map { situation in { Trial(flow, after: situation.path) } }
            var hopeless = state.timers.map(\.fires)
            for makeTrial in sampleTrialMakers + reachedTrialMakers where !hopeless.isEmpty {
                let trial = makeTrial()
                let fired = trial.advanceUntilFired(hopeless)
                // If the wait reached the limit of firings, the other timers might have fired later. So no timer of the state
                // is reported.
                hopeless.removeAll { fired.contains($0) || trial.reachedFiringLimit }
            }
            return hopeless.map { .hopelessTimer(state: state.state, signal: $0) }
        }
    }
}

/// A defect in a flow.
public enum Finding: Equatable, Sendable {
    /// A fault that the author of the flow must correct, as a sentence; see `AnyFlow.mistakes`. A flow with mistakes has no
    /// other findings, because nothing else was checked.
    case mistake(String)
    /// No path from the initial state to the state was found.
    case unreachableState(String)
    /// No state takes or defers the event, with any sample of its arguments.
    case deadEvent(String)
    /// A state that is not final has no exit and no timer.
    case deadEnd(String)
    /// The state refuses the signal of its own timer, with at least one sample of its data.
    case unhandledSignal(state: String, signal: String)
    /// No state has a timer that sends the signal.
    case unsentSignal(String)
    /// In every trial, another timer ended the visit of the state before this timer fired.
    case hopelessTimer(state: String, signal: String)
    /// The state takes a signal that only timers of other states send.
    case idleRow(state: String, signal: String)
    /// The state has a countdown of zero duration. Two states that each have such a countdown can enter each other for ever.
    case instantTimer(state: String, signal: String)
    /// A final state has a timer, which can have no effect.
    case finalTimer(state: String, signal: String)
    /// The state can be reached with data from which the state cannot be restored. A restart of the daemon then loses the
    /// session.
    case lostAtRestart(state: String, data: [Member], why: String)
    /// The exploration observed a transition that the flow's survey lacks; the methods `describe` and `graph` do not show it.
    case missingRow(from: String, on: String, to: String)
    /// An invariant of the flow does not hold in a state that can be reached; `path` lists the moves that lead there.
    case brokenInvariant(String, state: String, path: [String])

    /// The finding's name in the output.
    public var name: String {
        switch self {
        case .mistake: "mistake"
        case .unreachableState: "unreachableState"
        case .deadEvent: "deadEvent"
        case .deadEnd: "deadEnd"
        case .unhandledSignal: "unhandledSignal"
        case .unsentSignal: "unsentSignal"
        case .hopelessTimer: "hopelessTimer"
        case .idleRow: "idleRow"
        case .instantTimer: "instantTimer"
        case .finalTimer: "finalTimer"
        case .lostAtRestart: "lostAtRestart"
        case .missingRow: "missingRow"
        case .brokenInvariant: "brokenInvariant"
        }
    }

    /// The finding as a sentence.
    public var sentence: String {
        switch self {
        case .mistake(let sentence): sentence
        case .unreachableState(let state): "no path to \(state) was found"
        case .deadEvent(let event): "no state takes \(event), with any sample of its arguments"
        case .deadEnd(let state): "\(state) has no exit and no timer, and is not final"
        case .unhandledSignal(let state, let signal):
            "\(state) refuses \(signal), which its own timer sends"
        case .unsentSignal(let signal): "no timer sends \(signal)"
        case .hopelessTimer(let state, let signal):
            "another timer always ended the stay in \(state) before \(signal) fired"
        case .idleRow(let state, let signal):
            "\(state) takes \(signal), but has no timer that sends it"
        case .instantTimer(let state, let signal):
            "\(state) has a timer of zero duration that sends \(signal); post an event instead"
        case .finalTimer(let state, let signal):
            "\(state) is final, and has a timer that sends \(signal)"
        case .lostAtRestart(let state, let data, let why):
            "\(state)\(data.isEmpty ? "" : " with \(TextWords.write(data))") is lost at a restart, "
                + "because `entering` refuses the data that `describe` returns: \(why)"
        case .missingRow(let from, let on, let to):
            "\(from) goes to \(to) on \(on), but describe and graph do not show it: add samples "
                + "of \(from)'s data to `entering` that take this transition"
        case .brokenInvariant(let sentence, let state, let path):
            "\(sentence): this does not hold in \(state)"
                + (path.isEmpty ? "" : ", after \(path.joined(separator: " · "))")
        }
    }
}
