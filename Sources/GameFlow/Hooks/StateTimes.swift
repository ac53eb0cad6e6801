public import Timers

/// A hook that adds up the time that a session spends in each state.
public final class StateTimes: StepHook {
    public let name = "stateTimes"
    /// The total time of the completed stays in each state, by the state's name.
    private var times: [String: Duration] = [:]
    /// The present state, and the instant since when its time is not yet in `times`; nil before the first step.
    private var present: (state: String, since: Instant)?

    public init() {}

    public func after(_ step: Step, at now: Instant) {
        guard let to = step.to else { return }
        addPresentStay(until: now)
        present = (to.state, now)
    }

    /// Adds the present state's time until `now` to `times`.
    private func addPresentStay(until now: Instant) {
        guard let present else { return }
        times[present.state, default: .zero] = time(in: present.state, at: now)
    }

    /// Returns the total time of the session in a state, including the present stay up to `now`.
    public func time(in state: String, at now: Instant) -> Duration {
        let past = times[state] ?? .zero
        guard let present, present.state == state else { return past }
        return past + (now - present.since)
    }
}
