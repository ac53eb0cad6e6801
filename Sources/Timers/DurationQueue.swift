/// The timers of one duration (a lane), in the order in which they were set, which is also the order of their
/// deadlines. Setting a timer appends to the list; ending a timer unlinks it.
struct DurationQueue {
    /// The duration in nanoseconds.
    var duration: Int64
    /// The slots of the first and the last timer.
    var head = noSlot
    var tail = noSlot
    /// The key of the first timer in the order of all timers.
    var first = HeapKey.never
    /// The deadline of the last timer. A timer with an earlier deadline does not belong in this lane.
    var last: Int64 = .min

    /// The maximum number of lanes. Timers of further durations are kept in the heap.
    static let limit = 64

    var isEmpty: Bool { head == noSlot }
}

/// Placing a timer in the lane of its duration or in the heap.
extension TimerStorage {
    /// Gives a timer the next number in the order of setting, and places it.
    mutating func place(_ i: Int, at deadline: Int64) {
        sequence += 1
        slots[i].deadline = deadline
        slots[i].sequence = sequence
        let key = HeapKey(
            deadline: deadline, sequence: sequence, slot: UInt32(truncatingIfNeeded: i))
        guard let lane = lane(for: slots[i].total),
            lanes[lane].last <= deadline || lanes[lane].isEmpty
        else {
            links[i].membership = .heap
            return heap.insert(key, &links)
        }
        links[i].membership = .lane
        links[i].lane = UInt8(truncatingIfNeeded: lane)
        append(key, to: lane)
    }

    /// Places a timer with a recorded order among timers that were set since; only timers with a lower order
    /// precede it at the same deadline. It always goes into the heap.
    mutating func place(_ i: Int, at deadline: Int64, order: UInt64) {
        slots[i].deadline = deadline
        slots[i].sequence = order
        links[i].membership = .heap
        heap.insert(HeapKey(deadline: deadline, sequence: order, slot: UInt32(i)), &links)
    }

    private mutating func append(_ key: HeapKey, to lane: Int) {
        let i = Int(key.slot)
        links[i].before = lanes[lane].tail
        links[i].after = noSlot
        if lanes[lane].isEmpty {
            lanes[lane].head = key.slot
            lanes[lane].first = key
        } else {
            links[Int(lanes[lane].tail)].after = key.slot
        }
        lanes[lane].tail = key.slot
        lanes[lane].last = key.deadline
    }

    /// Removes a timer from its lane or from the heap.
    mutating func unplace(_ i: Int) {
        switch links[i].membership {
        case .lane: unlink(i, from: Int(links[i].lane))
        case .heap: heap.remove(at: Int(links[i].before), &links)
        case .paused, .nowhere: break
        }
    }

    private mutating func unlink(_ i: Int, from lane: Int) {
        let (before, after) = (links[i].before, links[i].after)
        if after != noSlot {
            links[Int(after)].before = before
        } else {
            lanes[lane].tail = before
            lanes[lane].last = before != noSlot ? slots[Int(before)].deadline : .min
        }
        if before != noSlot {
            links[Int(before)].after = after
        } else {
            lanes[lane].head = after
            lanes[lane].first = after != noSlot ? key(of: after) : .never
        }
    }

    private func key(of i: UInt32) -> HeapKey {
        HeapKey(deadline: slots[Int(i)].deadline, sequence: slots[Int(i)].sequence, slot: i)
    }

    /// The lane for a duration: an existing one, a new one, or an empty one that is reused; nil if there is no
    /// room.
    private mutating func lane(for duration: Int64) -> Int? {
        for lane in lanes.indices where lanes[lane].duration == duration { return lane }
        if lanes.count < DurationQueue.limit {
            lanes.append(DurationQueue(duration: duration))
            return lanes.count - 1
        }
        guard let empty = lanes.indices.first(where: { lanes[$0].isEmpty }) else { return nil }
        lanes[empty] = DurationQueue(duration: duration)
        return empty
    }
}
