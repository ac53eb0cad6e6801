/// All timers of a `TimerQueue` in one struct. A call on the queue is then a single access. If the queue had several
/// properties, the exclusivity checks on them would double the cost of a call.
///
/// A timer normally goes to the end of the `DurationQueue` of its duration. It goes into the `TimerHeap` in these cases:
/// - There is no queue for its duration.
/// - Its deadline is before the queue's last deadline, as is usual after `resume`.
/// - It is restored with a number that is not the highest in the order of setting.
///
/// The next timer to fire is the earliest of the queues' first timers and the heap's top.
///
/// In the methods, `i` is the index of a timer's slot in `entries` and `nodes`.
struct TimerStorage: ~Copyable {
    /// The fields of each timer, by its slot; divided into two buffers by how often they are used.
    var entries = PlainBuffer<TimerEntry>()
    var nodes = PlainBuffer<TimerNode>()
    /// The number of live timers, including the paused ones.
    var count = 0
    /// The queues of timers, one for each duration.
    var durationQueues = PlainBuffer<DurationQueue>()
    var heap = TimerHeap()
    /// The first free slot; see `TimerEntry.sibling`.
    private var firstFreeSlot = noSlot
    /// The generation of a slot that is used for the first time.
    private var firstGeneration: UInt32 = 0
    /// The marks of each countdown that has some, by their slots; only those of slots with the trait `marked` are valid.
    var marks: [UInt32: [UInt32]] = [:]
    /// The countdown of each mark, by the mark's slot; only those of slots with the trait `mark` are valid.
    var markLinks: [UInt32: MarkLink] = [:]
    /// When the timers that fire at a time of day fire, by their slots; only those of slots with the trait `until` are valid.
    var untils: [UInt32: UntilTime] = [:]
    /// The highest number that a timer has got in the order of setting.
    var sequence: UInt64 = 0

    // MARK: setting and ending

    mutating func reserve(_ n: Int) {
        entries.reserve(n)
        nodes.reserve(n)
    }

    /// Sets a timer and adds it to `group`.
    mutating func set(
        _ owner: TimerOwner, deadline: Int64, total: Int64, tag: UInt8, traits: TimerTraits,
        in group: inout TimerGroup
    ) {
        let i = allocateSlot()
        // Assigned field by field, because a whole entry would be copied through memory twice.
        unsafe entries[i].owner = owner
        entries[i].total = total
        entries[i].sibling = noSlot
        nodes[i].tag = tag
        nodes[i].traits = traits
        let id = TimerID(slot: UInt32(truncatingIfNeeded: i), generation: nodes[i].generation)
        if group.isEmpty {
            group.first = id
        } else {
            let last = group.last
            precondition(nodes[Int(last.slot)].generation == last.generation, "group has ended")
            entries[Int(last.slot)].sibling = id.slot
        }
        group.last = id
        count += 1
        place(i, at: deadline)
    }

    /// The timers of a storage without timers have generations from `generation` on.
    mutating func begin(atGeneration generation: UInt32) {
        precondition(nodes.count == 0 || generation == 0, "the timers have generations already")
        firstGeneration = generation
    }

    /// A generation that no timer has had; nil if few are left.
    var nextGeneration: UInt32? {
        let newest = nodes.indices.reduce(firstGeneration) { max($0, nodes[$1].generation) }
        return newest < .max / 2 ? newest + 1 : nil
    }

    /// Returns a free slot.
    @inline(__always) private mutating func allocateSlot() -> Int {
        guard firstFreeSlot != noSlot else {
            entries.append(TimerEntry())
            nodes.append(TimerNode(generation: firstGeneration))
            return entries.count - 1
        }
        let i = Int(firstFreeSlot)
        firstFreeSlot = entries[i].sibling
        return i
    }

    /// Ends the timers of a group and frees their slots.
    mutating func end(_ group: TimerGroup) {
        guard let first = slot(of: group.first) else { return }
        var i = UInt32(truncatingIfNeeded: first)
        while i != noSlot {
            let next = entries[Int(i)].sibling
            stop(Int(i))
            nodes[Int(i)].generation &+= 1
            entries[Int(i)].sibling = firstFreeSlot
            firstFreeSlot = i
            i = next
        }
    }

    /// Removes a live timer from its queue or from the heap, and from `count`. Its slot is not free until its group ends.
    mutating func stop(_ i: Int) {
        guard nodes[i].membership != .unplaced else { return }
        unplace(i)
        nodes[i].membership = .unplaced
        count -= 1
    }

    /// Removes a live timer from its queue or from the heap without changing `count`.
    mutating func removeFromOrder(_ i: Int) {
        unplace(i)
        nodes[i].membership = .unplaced
    }

    /// Pauses a timer that is in no structure, with `remaining` nanoseconds left. A countdown in overtime that gets more than
    /// that fires again.
    mutating func setPaused(_ i: Int, remaining: Int64) {
        nodes[i].membership = .paused
        entries[i].deadline = remaining
        if remaining > 0 { nodes[i].traits.remove(.fired) }
    }

    // MARK: finding

    /// The slot of a timer whose group has not ended, even if the timer has fired.
    func slot(of id: TimerID) -> Int? {
        let i = Int(id.slot)
        return i < entries.count && nodes[i].generation == id.generation ? i : nil
    }

    /// The slot of a timer that has yet to fire.
    func liveSlot(of id: TimerID) -> Int? {
        guard let i = slot(of: id), nodes[i].membership != .unplaced else { return nil }
        return i
    }

    /// When a timer fires at a time of day; nil for any other timer. The timer may have fired.
    func until(_ i: Int) -> UntilTime? {
        guard nodes[i].traits.contains(.until) else { return nil }
        return untils[UInt32(truncatingIfNeeded: i)]
    }

    func isPaused(_ i: Int) -> Bool { nodes[i].membership == .paused }

    /// The timer that was set next in the group of the timer `i`. If the timer `i` is the last, this is the identifier of no
    /// timer.
    func sibling(of i: Int) -> TimerID {
        let next = entries[i].sibling
        return next == noSlot
            ? TimerID() : TimerID(slot: next, generation: nodes[Int(next)].generation)
    }

    // MARK: operating; times are in nanoseconds

    /// Pauses a timer, unless it is paused. The traits `pausing` say who pauses it.
    mutating func pause(_ i: Int, _ pausing: TimerTraits, now: Int64) {
        guard nodes[i].membership != .paused else { return }
        unplace(i)
        nodes[i].traits.formUnion(pausing)
        let left = entries[i].deadline - now
        setPaused(i, remaining: nodes[i].traits.mayBeNegative ? left : max(0, left))
    }

    mutating func resume(_ i: Int, now: Int64) {
        guard nodes[i].membership == .paused else { return }
        nodes[i].traits.subtract(.pausing)
        run(i, until: saturatingSum(now, entries[i].deadline))
    }

    /// Runs a timer that is in no structure. It fires at `deadline`, unless it is silent.
    mutating func run(_ i: Int, until deadline: Int64) {
        guard nodes[i].traits.isSilent else { return place(i, at: deadline) }
        nodes[i].membership = .silent
        entries[i].deadline = deadline
    }

    /// Gives a new timer traits with which it does not simply run. `remaining` is what it begins with.
    mutating func begin(_ i: Int, _ traits: TimerTraits, remaining: Int64, now: Int64) {
        removeFromOrder(i)
        nodes[i].traits.formUnion(traits)
        if remaining < 0, traits.contains(.overtime) { nodes[i].traits.insert(.fired) }
        if traits.contains(.beginsPaused) {
            setPaused(i, remaining: remaining)
        } else {
            run(i, until: saturatingSum(now, remaining))
        }
    }

    mutating func extend(_ i: Int, by more: Int64, now: Int64) {
        entries[i].total = saturatingSum(entries[i].total, more)
        let deadline = saturatingSum(entries[i].deadline, more)
        guard nodes[i].membership != .paused else { return setPaused(i, remaining: deadline) }
        unplace(i)
        if deadline > now { nodes[i].traits.remove(.fired) }
        run(i, until: deadline)
    }

    mutating func setRemaining(_ i: Int, to remaining: Int64, now: Int64) {
        entries[i].total = max(entries[i].total, remaining)
        guard nodes[i].membership != .paused else { return setPaused(i, remaining: remaining) }
        unplace(i)
        if remaining > 0 { nodes[i].traits.remove(.fired) }
        run(i, until: saturatingSum(now, remaining))
    }

    mutating func restart(_ i: Int, now: Int64) {
        if nodes[i].membership == .unplaced { count += 1 } else { unplace(i) }
        nodes[i].traits.subtract(.changing)
        run(i, until: saturatingSum(now, entries[i].total))
    }

    // MARK: firing

    /// The key of the next timer to fire; `HeapKey.never` if no timer runs.
    var firstKey: HeapKey {
        var best = heap.top
        for queue in durationQueues.indices
        where durationQueues[queue].firstKey.precedes(best) {
            best = durationQueues[queue].firstKey
        }
        return best
    }

    /// Removes the first timer if it is due by `limit` and its number in the order of setting is at most `newestOrder`. A
    /// pendulum is placed again at once, one period after its old deadline. Each period that had passed by `now` is `missed`,
    /// and moves the new deadline by one more period.
    mutating func pop(by limit: Int64, now: Int64, orderAtMost newestOrder: UInt64) -> (
        slot: Int, key: HeapKey, missed: Int
    )? {
        let key = firstKey
        guard key.slot != noSlot, key.deadline <= limit, key.sequence <= newestOrder else {
            return nil
        }
        let i = Int(key.slot)
        if nodes[i].traits.isEmpty {
            stop(i)
            return (i, key, 0)
        }
        guard nodes[i].isPendulum else {
            let i = slotToFire(key)
            let key = HeapKey(
                deadline: entries[i].deadline, sequence: key.sequence, slot: UInt32(i))
            fire(i)
            return (i, key, 0)
        }
        let period = entries[i].total
        let missed = max(0, (now - key.deadline) / period)
        unplace(i)
        place(i, at: saturatingSum(key.deadline + missed * period, period))
        return (i, key, Int(missed))
    }

    /// Removes a due timer that has traits and is no pendulum. A countdown with overtime runs on, and keeps the instant at which
    /// nothing was left. A mark can fire again if its countdown gets more time.
    private mutating func fire(_ i: Int) {
        let traits = nodes[i].traits
        guard !traits.isDisjoint(with: [.overtime, .mark]) else { return stop(i) }
        removeFromOrder(i)
        if traits.contains(.overtime) { nodes[i].traits.insert(.fired) }
        nodes[i].membership = .silent
    }
}

/// Returns a saturating sum. Extending a timer many times therefore cannot trap.
@inline(__always) func saturatingSum(_ a: Int64, _ b: Int64) -> Int64 {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? (b < 0 ? .min : .max) : sum
}
