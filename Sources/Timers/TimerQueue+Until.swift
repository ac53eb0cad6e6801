/// Timers that fire at a time of day.
extension TimerQueue {
    /// Sets a timer in `group` that fires once, when the wall clock next shows `time`; at exactly this time, a day later. With the
    /// trait `beginsPaused`, it begins paused. The operations that move the end of a countdown do not change it.
    public func setUntil(
        _ time: TimeOfDay, _ traits: TimerTraits = [], tag: UInt8 = 0, in group: inout TimerGroup,
        for owner: TimerOwner
    ) -> Countdown {
        let until = wallClock.next(time, after: now)
        let left = until.deadline - now
        let timer = setCountdown(until.total.nanoseconds, left.nanoseconds, tag, &group, owner)
        if let i = storage.liveSlot(of: timer.id) { storage.setUntil(i, until) }
        begin(
            timer.id, traits.intersection(.beginsPaused).union(.until), remaining: left)
        return timer
    }

    /// Sets a paused timer to its deadline. It fires at once if the deadline is over. In a search, it has what it had left, because
    /// a search knows no dates.
    func resumeUntil(_ id: TimerID) {
        guard let i = storage.liveSlot(of: id), storage.isPaused(i) else { return }
        if !wallClock.isSearch, let until = storage.until(i) {
            storage.entries[i].deadline = (until.deadline - present).nanoseconds
        }
        storage.resume(i, now: present.nanoseconds)
        alertIfEarlier(id)
    }

    /// Gives a timer of a machine that is being restored its recorded time of day, before its deadline is restored.
    package func restoreUntil(_ id: TimerID, _ until: UntilTime) {
        if let i = storage.liveSlot(of: id), storage.nodes[i].traits.contains(.until) {
            storage.setUntil(i, until)
        }
    }

    /// Gives a timer the deadline that it would have if its deadline had been computed otherwise. It keeps its place in the order
    /// of setting.
    package func correctUntil(_ id: TimerID, to until: UntilTime) {
        guard let i = storage.liveSlot(of: id), storage.nodes[i].traits.contains(.until) else {
            return
        }
        let order = storage.entries[i].sequence
        setUntil(id, to: until)
        guard !storage.isPaused(i) else { return }
        restore(id, total: until.total, firingAt: until.deadline, order: order)
    }

    /// Gives a timer another deadline. If it runs, it gets a new place in the order of setting.
    package func setUntil(_ id: TimerID, to until: UntilTime) {
        guard let i = storage.liveSlot(of: id), storage.nodes[i].traits.contains(.until) else {
            return
        }
        storage.setUntil(i, until)
        storage.entries[i].total = until.total.nanoseconds
        if storage.isPaused(i) {
            storage.setPaused(i, remaining: max(until.deadline - now, .zero).nanoseconds)
        } else {
            withTimerRemoved(id) { storage, i in
                storage.run(i, until: until.deadline.nanoseconds)
            }
        }
    }

    /// The live timers whose deadlines were computed when the lead of the wall clock was another, by more than a second, with
    /// their owners. In the order of their slots.
    package var misplacedUntils: [(owner: TimerOwner, id: TimerID, until: UntilTime)] {
        if storage.untils.isEmpty { return [] }
        return storage.untils.keys.sorted().compactMap { slot in
            let i = Int(slot)
            guard storage.nodes[i].membership != .unplaced, let until = storage.until(i),
                let owner = unsafe storage.entries[i].owner
            else { return nil }
            let step = wallClock.lead - until.lead
            guard max(step, .zero - step) > CivilClock.tolerance else { return nil }
            let id = TimerID(slot: slot, generation: storage.nodes[i].generation)
            return (owner, id, until)
        }
    }
}

extension TimerStorage {
    /// Says when a timer with the trait `until` fires.
    mutating func setUntil(_ i: Int, _ until: UntilTime) {
        untils[UInt32(truncatingIfNeeded: i)] = until
    }
}
