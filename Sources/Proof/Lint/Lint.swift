public import GameFlow
internal import JSON
internal import Timers

/// Reads a flow for what nobody can have meant. Everything is asked of the real selector and tried
/// in virtual time; there is no second description that it could be held against.
public struct Lint {
    public let flow: AnyFlow
    /// What becomes in each state of each event and signal.
    public let matrix: [Surveyed]
    public let findings: [Finding]
    /// How many situations were looked into, and whether they were all there are.
    public let explored: (situations: Int, isComplete: Bool)

    public init(_ flow: AnyFlow) {
        self.flow = flow
        matrix = flow.survey
        let exploration = Exploration(flow)
        explored = (exploration.situations.count, exploration.isComplete)
        findings =
            Self.unreachable(flow, exploration) + Self.deadEvents(flow) + Self.deadEnds(flow)
            + Self.signals(flow) + Self.hopeless(flow, exploration)
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
            !flow.survey.contains { $0.timers.contains { $0.fires == signal } }
        }
        let refused = flow.survey.flatMap { state in
            state.timers.compactMap { timer -> Finding? in
                if flow.finals.contains(state.state) {
                    return .finalTimer(state: state.state, signal: timer.fires)
                }
                let verdict = state.verdicts.first { $0.isSignal && $0.on == timer.fires }
                return verdict?.isAccepted == false
                    ? .unhandledSignal(state: state.state, signal: timer.fires) : nil
            }
        }
        return unsent.map { .unsentSignal($0) } + refused
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
                let fired = make().firedBeforeLeaving(hopeless)
                hopeless.removeAll { fired.contains($0) }
            }
            return hopeless.map { .hopelessTimer(state: state.state, signal: $0) }
        }
    }
}
