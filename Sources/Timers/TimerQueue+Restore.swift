/// Putting timers back to where others stood that were written down: each is a new setting, unless it is
/// told otherwise.
extension TimerQueue {
    /// Lets a timer fire at an instant, past or to come, with that full time. With an `order` it is no new
    /// setting, but has again the one that it had.
    public func restore(
        _ id: TimerID, total: Duration, firingAt deadline: Instant, order: UInt64? = nil
    ) {
        change(id) { queue, i in
            queue.slots[i].total = total.nanoseconds
            if let order {
                queue.place(i, at: deadline.nanoseconds, order: order)
            } else {
                queue.place(i, at: deadline.nanoseconds)
            }
        }
    }

    /// Lets a timer stand still with what it had left.
    public func restore(_ id: TimerID, total: Duration, pausedWith remaining: Duration) {
        change(id) { queue, i in
            queue.slots[i].total = total.nanoseconds
            queue.hold(i, remaining.nanoseconds)
        }
    }

    /// Ends one timer of a group; the others go on.
    public func drop(_ id: TimerID) { change(id) { queue, i in queue.count -= 1 } }
}
