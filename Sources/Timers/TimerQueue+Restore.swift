/// Setting timers to recorded deadlines or remaining times.
extension TimerQueue {
    /// Sets a timer to fire at `deadline`, in the past or in the future, with the full duration `total`. The timer gets back
    /// its `order` among timers with the same deadline: timers with a lower order fire first. `traits` has the traits that had
    /// changed while the timer was live.
    public func restore(
        _ id: TimerID, total: Duration, _ traits: TimerTraits = [], firingAt deadline: Instant,
        order: UInt64
    ) {
        withTimerRemoved(id) { storage, i in
            storage.restore(i, total: total, traits)
            if storage.nodes[i].traits.isSilent {
                storage.entries[i].sequence = order
                storage.sequence = max(storage.sequence, order)
                storage.run(i, until: deadline.nanoseconds)
            } else if order > storage.sequence {
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
    public func restore(
        _ id: TimerID, total: Duration, _ traits: TimerTraits = [], pausedWith remaining: Duration
    ) {
        withTimerRemoved(id) { storage, i in
            storage.restore(i, total: total, traits)
            storage.setPaused(i, remaining: remaining.nanoseconds)
        }
    }

    /// Calls `body` with each timer of a group that will still fire, in the order in which they were set.
    /// `body` may drop the timer that it is called with.
    public func forEachTimer(
        of group: TimerGroup, _ body: (_ id: TimerID, _ tag: UInt8, _ traits: TimerTraits) -> Void
    ) {
        adoptContext()
        var id = group.first
        while let i = storage.slot(of: id) {
            let node = storage.nodes[i]
            if node.membership != .unplaced { body(id, node.tag, node.traits) }
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

extension TimerStorage {
    /// Gives a timer its recorded total, and those of its traits that change.
    fileprivate mutating func restore(_ i: Int, total: Duration, _ traits: TimerTraits) {
        entries[i].total = total.nanoseconds
        if nodes[i].traits.isEmpty, traits.isEmpty { return }
        // A plain countdown has neither fired nor begun paused, whatever an earlier version of its flow declared.
        let possible: TimerTraits =
            nodes[i].traits.isEmpty ? [.held, .pausedByProgram] : .changing
        nodes[i].traits.subtract(.changing)
        nodes[i].traits.formUnion(traits.intersection(possible))
    }
}
