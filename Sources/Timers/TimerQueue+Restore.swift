/// Setting timers to recorded deadlines or remaining times.
extension TimerQueue {
    /// Sets a timer to fire at `deadline`, in the past or in the future, with the full duration `total`. The timer gets back
    /// its `order` among timers with the same deadline: timers with a lower order fire first.
    public func restore(
        _ id: TimerID, total: Duration, firingAt deadline: Instant, order: UInt64
    ) {
        withTimerRemoved(id) { storage, i in
            storage.entries[i].total = total.nanoseconds
            if order > storage.sequence {
                // No other timer has a number this high. So `place` may append the timer to the queue of its duration, in which
                // the numbers must ascend. If a deadline in that queue is later, `place` puts the timer into the heap. `place`
                // increments `sequence`, so the timer gets the number `order`.
                storage.sequence = order - 1
                storage.place(i, at: deadline.nanoseconds)
            } else {  // into the heap
                storage.place(i, at: deadline.nanoseconds, sequence: order)
            }
        }
    }

    /// Pauses a timer with the remaining time `remaining` and the full duration `total`.
    public func restore(_ id: TimerID, total: Duration, pausedWith remaining: Duration) {
        withTimerRemoved(id) { storage, i in
            storage.entries[i].total = total.nanoseconds
            storage.setPaused(i, remaining: remaining.nanoseconds)
        }
    }

    /// Calls `body` with each timer of a group that will still fire, in the order in which they were set.
    /// `body` may drop the timer that it is called with.
    public func forEachTimer(
        of group: TimerGroup, _ body: (_ id: TimerID, _ tag: UInt8, _ isPendulum: Bool) -> Void
    ) {
        var id = group.first
        while let i = storage.slot(of: id) {
            let node = storage.nodes[i]
            if node.membership != .unplaced { body(id, node.tag, node.isPendulum) }
            id = storage.sibling(of: i)
        }
    }

    /// Moves the next deadline of a pendulum to `deadline`, as if the pendulum had made all earlier beats. The pendulum gets a
    /// new place in the order of setting.
    package func skip(_ id: TimerID, to deadline: Instant) {
        withTimerRemoved(id) { storage, i in storage.place(i, at: deadline.nanoseconds) }
    }

    /// Ends one timer of a group and no other.
    public func drop(_ id: TimerID) { withTimerRemoved(id) { storage, i in storage.count -= 1 } }
}
