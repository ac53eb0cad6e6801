public import FlowAnalysis
public import GameFlow

extension Flow {
    /// Finds defects in the flow, by calling its selector and by trying it in virtual time; see `Lint`. It takes from
    /// milliseconds to seconds, depending on the number of combinations of state, data and timers.
    public func lint() -> [Finding] { Lint(AnyFlow(self)).findings }

    /// Finds timers that are due at the same instant and whose order changes the outcome; see `Races`. Such timers fire in
    /// the order in which they were set. The outcome is therefore defined, but may surprise the author of the flow.
    ///
    /// An event from outside that arrives at the instant of a timer's deadline is handled after the timer. Most flows
    /// have races between events and timers; `withEvents` includes them.
    public func races(withEvents: Bool = false) -> [Race] {
        Races(AnyFlow(self)).found.filter { race in
            withEvents || race.contenders.allSatisfy { if case .timer = $0 { true } else { false } }
        }
    }
}
