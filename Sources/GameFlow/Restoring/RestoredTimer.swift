public import Timers

/// A timer of a restored machine and how to set it. It is small and has no references, because a restart can
/// have a million of them.
public struct RestoredTimer {
    private let id: TimerID
    /// The timer's recorded number in the order of setting.
    private let order: UInt64
    private let totalNs: Int64
    /// The deadline, the time until the deadline, or the remaining time, in nanoseconds, depending on `kind`.
    private let timeNs: Int64
    private let kind: Kind

    private enum Kind { case dropped, paused, firing, firingAfter }

    /// How to set a timer.
    enum Setting {
        case dropped
        case paused(remaining: Duration)
        case firing(at: Instant)
        /// The timer fires this long after the instant at which it is set.
        case firingAfter(Duration)
    }

    init(_ id: TimerID, _ record: TimerRecord, _ setting: Setting) {
        (self.id, order, totalNs) = (id, record.order, record.total.nanoseconds)
        (kind, timeNs) =
            switch setting {
            case .dropped: (.dropped, 0)
            case .paused(let remaining): (.paused, remaining.nanoseconds)
            case .firing(let deadline): (.firing, deadline.nanoseconds)
            case .firingAfter(let left): (.firingAfter, left.nanoseconds)
            }
    }

    /// Sets the timers of several machines in their recorded order. Timers that are set afterwards get higher
    /// numbers than these. Pass true for `isAll` if the timer queue has no other timers.
    public static func set(_ timers: [RestoredTimer], on timerQueue: TimerQueue, isAll: Bool) {
        if isAll, !timers.isEmpty { timerQueue.restartOrder() }
        if zip(timers, timers.dropFirst()).allSatisfy({ $0.order <= $1.order }) {
            for timer in timers { timer.set(on: timerQueue) }
        } else {
            // This sorts numbers and not the timers, which are larger.
            let orders = timers.indices.map { (order: timers[$0].order, place: $0) }
            for next in orders.sorted(by: { $0.order < $1.order }) {
                timers[next.place].set(on: timerQueue)
            }
        }
    }

    private func set(on timerQueue: TimerQueue) {
        let (total, time) = (Duration.nanoseconds(totalNs), Duration.nanoseconds(timeNs))
        switch kind {
        case .dropped: timerQueue.drop(id)
        case .paused: timerQueue.restore(id, total: total, pausedWith: time)
        case .firing:
            timerQueue.restore(
                id, total: total, firingAt: Instant(nanoseconds: timeNs), order: order)
        case .firingAfter:
            timerQueue.restore(id, total: total, firingAt: timerQueue.now + time, order: order)
        }
    }
}
