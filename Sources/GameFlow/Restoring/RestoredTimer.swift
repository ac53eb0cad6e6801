public import Timers

/// A timer of a restored machine, and how it is to be set. It is small, and refers to nothing: a restart has a million
/// of them.
public struct RestoredTimer {
    let id: TimerID
    /// Where it stood in the order of all settings.
    let order: UInt64
    let total: Duration
    let setting: Setting

    /// What becomes of the timer.
    enum Setting {
        case dropped
        case paused(remaining: Duration)
        case firing(at: Instant)
        /// It fires so long after the instant at which it is set.
        case firingAfter(Duration)
    }

    init(_ id: TimerID, _ record: TimerRecord, _ setting: Setting) {
        (self.id, self.setting) = (id, setting)
        (order, total) = (record.order, record.total)
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
        switch setting {
        case .dropped: timerQueue.drop(id)
        case .paused(let remaining):
            timerQueue.restore(id, total: total, pausedWith: remaining)
        case .firing(let deadline):
            timerQueue.restore(id, total: total, firingAt: deadline, order: order)
        case .firingAfter(let left):
            timerQueue.restore(id, total: total, firingAt: timerQueue.now + left, order: order)
        }
    }
}
