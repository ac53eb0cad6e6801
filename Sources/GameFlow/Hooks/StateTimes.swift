public import Timers

/// A hook that adds up the time that a session spends in each state.
public final class StateTimes: StepHook {
    public let name = "stateTimes"
    private var times: [String: Duration] = [:]
    private var present: (state: String, since: Instant)?

    public init() {}

    public func after(_ step: Step, at now: Instant) {
        guard let to = step.to else { return }
        addPresentStay(until: now)
        present = (to.state, now)
    }

    private func addPresentStay(until now: Instant) {
        guard let present else { return }
        times[present.state, default: .zero] = time(in: present.state, at: now)
    }

    /// Returns the total time spent in a state, including the present stay up to `now`.
    public func time(in state: String, at now: Instant) -> Duration {
        let past = times[state] ?? .zero
        guard let present, present.state == state else { return past }
        return past + (now - present.since)
    }
}
