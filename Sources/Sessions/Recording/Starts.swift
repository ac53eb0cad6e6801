internal import Support
public import Timers

/// The restarts of the daemon after a row was written. Each restart moved the deadlines of the timers in that row.
public struct Restarts: Equatable, Sendable {
    /// The sum of the restarts' downtimes. Timers with the policy `remaining` fire later by this duration.
    public var earlierDowntime = Duration.zero
    /// The instant of the last restart; nil if there was none.
    public var lastInstant: Instant?

    public init() {}
}

/// The daemon's starts in the order of their rows. Each start restored the timers of all older rows. Starts by a hand-over
/// from another node and returns of the store are left out, because they change no timer.
public struct Starts: Sendable {
    /// The positions of the starts' rows, in increasing order.
    private var positions: [Int] = []
    /// For each start, the sum of the downtimes that ended with this start and with all earlier starts.
    private var downtimes: [Duration] = []
    /// The instant of the newest start.
    private var newestInstant: Instant?
    /// Since when refused events have been recorded without a start that does not record them; nil if the newest does not.
    private(set) var auditedSince: Instant?

    public init() {}

    /// Adds a start whose row has the given position.
    public mutating func add(_ position: Int, _ start: SessionRecord.Start) {
        if start.isAfterOutage {
            // What was recorded at this very instant may have been recorded before the outage.
            auditedSince = start.now + .nanoseconds(1)
        } else {
            auditedSince = start.auditsRefusals ? auditedSince ?? start.now : nil
        }
        guard start.hadPause else { return }
        positions.append(position)
        downtimes.append((downtimes.last ?? .zero) + max(start.now - start.lastAlive, .zero))
        newestInstant = start.now
    }

    /// Returns the restarts whose rows are after the given position.
    public func restarts(after position: Int) -> Restarts {
        let earlierCount = BinarySearch.prefixCount(positions.count) { positions[$0] <= position }
        guard earlierCount < positions.count, let total = downtimes.last else { return Restarts() }
        var restarts = Restarts()
        restarts.earlierDowntime = total - (earlierCount > 0 ? downtimes[earlierCount - 1] : .zero)
        restarts.lastInstant = newestInstant
        return restarts
    }
}
