package import Timers

/// Measures for how long something has waited without progress. The user reports at intervals what it sees, so that what is
/// measured does no work of its own.
package struct ProgressWatch {
    /// The first report of the present wait; nil if nothing waits.
    private var start: (instant: Instant, progress: Int)?

    /// Records whether something waits at this instant. `progress` is a number that differs when something has left the wait.
    package mutating func record(isWaiting: Bool, progress: Int, at now: Instant) {
        guard isWaiting else {
            start = nil
            return
        }
        if start?.progress != progress { start = (now, progress) }
    }

    /// For how long nothing has left the wait; zero if nothing waits.
    func waitingTime(at now: Instant) -> Duration { start.map { now - $0.instant } ?? .zero }
}
