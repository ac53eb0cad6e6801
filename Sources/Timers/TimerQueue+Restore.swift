/// Setting timers as recorded ones were set.
extension TimerQueue {
    /// Lets a timer fire at an instant, past or to come, with that full time. It has again the order that it had among
    /// the timers of one instant: those that were set before `order` come before it.
    public func restore(
        _ id: TimerID, total: Duration, firingAt deadline: Instant, order: UInt64
    ) {
        change(id) { queue, i in
            queue.slots[i].total = total.nanoseconds
            if order > queue.sequence {
                // Nothing was set later: it may wait with others of its duration.
                queue.sequence = order - 1
                queue.place(i, at: deadline.nanoseconds)
            } else {
                queue.place(i, at: deadline.nanoseconds, order: order)
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

    /// Calls `body` with each timer of a group that is still to fire, in the order in which they were set. `body` may
    /// drop the timer that it is called with.
    public func forEachTimer(
        of group: TimerGroup, _ body: (_ id: TimerID, _ tag: UInt8, _ isPendulum: Bool) -> Void
    ) {
        var id = group.first
        while let i = queue.slot(of: id) {
            let link = queue.links[i]
            if link.place != .nowhere { body(id, link.tag, link.isPendulum) }
            id = queue.sibling(of: i)
        }
    }

    /// Ends one timer of a group; the others go on.
    public func drop(_ id: TimerID) { change(id) { queue, i in queue.count -= 1 } }
}
