public import FlowAnalysis
public import GameFlow

extension Flow {
    /// Finds defects in the flow, such as states, events and timers without a use. To find them, calls the flow's selector, and
    /// plays sessions of the flow in virtual time. This takes from milliseconds to seconds, depending on the number of
    /// combinations of state, data and timers.
    public func lint() -> [Finding] { Lint(AnyFlow(self)).findings }

    /// Finds races: timers that are due at the same instant and whose order changes the outcome. Such timers fire in the order
    /// in which they were set. The outcome is therefore defined, but may surprise the author of the flow.
    ///
    /// If a client sends an event at the instant of a timer's deadline, the event is handled after the timer. Most flows have
    /// races between events and timers. The result includes these races only if `withEvents` is true.
    public func races(withEvents: Bool = false) -> [Race] {
        Races(AnyFlow(self)).found.filter { race in
            // The contenders are the timers and events whose order changes the outcome.
            withEvents || race.contenders.allSatisfy { if case .timer = $0 { true } else { false } }
        }
    }
}
