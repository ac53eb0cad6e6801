/// The timers of one duration (a lane), in the order in which they were set, which is also the order of their
/// deadlines. Setting a timer appends to the list; ending a timer unlinks it.
struct DurationQueue {
    var duration: Int64
    var head = none
    var tail = none
    /// The key of the first timer in the order of all timers.
    var first = HeapKey.never
    /// The deadline of the last timer. A timer with an earlier deadline does not belong in this lane.
    var last: Int64 = .min

    /// The maximum number of lanes. Timers of further durations are kept in the heap.
    static let limit = 64

    var isEmpty: Bool { head == none }
}

/// Placing a timer in the lane of its duration or in the heap.
extension TimerStorage {
    mutating func place(_ i: Int, at deadline: Int64) {
        sequence += 1
        slots[i].deadline = deadline
        slots[i].sequence = sequence
        let due = HeapKey(
            deadline: deadline, sequence: sequence, slot: UInt32(truncatingIfNeeded: i))
        guard let l = lane(for: slots[i].total), lanes[l].last <= deadline || lanes[l].isEmpty
        else {
            links[i].place = .heap
            return heap.insert(due, &links)
        }
        links[i].place = .lane
        links[i].lane = UInt8(truncatingIfNeeded: l)
        append(due, to: l)
    }

    /// Places a timer with a recorded order among timers that were set since; only timers with a lower order
    /// precede it at the same deadline. It always goes into the heap.
    mutating func place(_ i: Int, at deadline: Int64, order: UInt64) {
        slots[i].deadline = deadline
        slots[i].sequence = order
        links[i].place = .heap
        heap.insert(HeapKey(deadline: deadline, sequence: order, slot: UInt32(i)), &links)
    }

    private mutating func append(_ due: HeapKey, to l: Int) {
        let i = Int(due.slot)
        links[i].before = lanes[l].tail
        links[i].after = none
        if lanes[l].isEmpty {
            lanes[l].head = due.slot
            lanes[l].first = due
        } else {
            links[Int(lanes[l].tail)].after = due.slot
        }
        lanes[l].tail = due.slot
        lanes[l].last = due.deadline
    }

    mutating func unplace(_ i: Int) {
        switch links[i].place {
        case .lane: unlink(i, from: Int(links[i].lane))
        case .heap: heap.remove(at: Int(links[i].before), &links)
        case .paused, .nowhere: break
        }
    }

    private mutating func unlink(_ i: Int, from l: Int) {
        let (before, after) = (links[i].before, links[i].after)
        if after != none {
            links[Int(after)].before = before
        } else {
            lanes[l].tail = before
            lanes[l].last = before != none ? slots[Int(before)].deadline : .min
        }
        if before != none {
            links[Int(before)].after = after
        } else {
            lanes[l].head = after
            lanes[l].first = after != none ? due(after) : .never
        }
    }

    private func due(_ i: UInt32) -> HeapKey {
        HeapKey(deadline: slots[Int(i)].deadline, sequence: slots[Int(i)].sequence, slot: i)
    }

    /// The lane for a duration: an existing one, a new one, or an empty one that is reused; nil if there is no
    /// room.
    private mutating func lane(for duration: Int64) -> Int? {
        for l in lanes.indices where lanes[l].duration == duration { return l }
        if lanes.count < DurationQueue.limit {
            lanes.append(DurationQueue(duration: duration))
            return lanes.count - 1
        }
        guard let empty = lanes.indices.first(where: { lanes[$0].isEmpty }) else { return nil }
        lanes[empty] = DurationQueue(duration: duration)
        return empty
    }
}
