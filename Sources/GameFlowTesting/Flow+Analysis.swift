public import FlowAnalysis
public import GameFlow

extension Flow {
    /// Finds defects in the flow, by calling its selector and by trying it in virtual time; see `Lint`. It takes from
    /// milliseconds to seconds, depending on the number of situations.
    public func lint() -> [Finding] { Lint(AnyFlow(self)).findings }

    /// Finds timers of one instant whose order changes the outcome; see `Races`. Timers of one instant fire in the
    /// order in which they were set, so a race is decided, but perhaps not as its author thinks.
    ///
    /// An event from outside that arrives at the instant at which a timer is due is handled after the timer. Most
    /// flows have such races by nature: `withEvents` includes them.
    public func races(withEvents: Bool = false) -> [Race] {
        Races(AnyFlow(self)).found.filter { race in
            withEvents || race.contenders.allSatisfy { if case .timer = $0 { true } else { false } }
        }
    }
}
