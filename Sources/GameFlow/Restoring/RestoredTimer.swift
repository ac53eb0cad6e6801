public import Timers

/// A timer of a restored machine, and how it is to be set. It is small, and refers to nothing: a restart has a million
/// of them.
public struct RestoredTimer {
    private let id: TimerID
    /// Where it stood in the order of all settings.
    private let order: UInt64
    private let totalNs: Int64
    /// When it fires, after how long, or what is left of it.
    private let timeNs: Int64
    private let kind: Kind

    private enum Kind { case dropped, paused, firing, firingAfter }

    /// What becomes of a timer.
    enum Setting {
        case dropped
        case paused(remaining: Duration)
        case firing(at: Instant)
        /// It fires so long after the instant at which it is set.
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

    /// Sets the timers of several machines, in the order in which they had been set. What is set later counts as later
    /// than any of them. With `isAll` the timer queue has no others.
    public static func set(_ timers: [RestoredTimer], on timerQueue: TimerQueue, isAll: Bool) {
        if isAll, !timers.isEmpty { timerQueue.restartOrder() }
        if zip(timers, timers.dropFirst()).allSatisfy({ $0.order <= $1.order }) {
            for timer in timers { timer.set(on: timerQueue) }
        } else {
            // Numbers are sorted and not the timers, which are larger.
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
