/// The timers of one duration, in the order in which they were set. Their deadlines are in the same order. Setting a timer
/// appends to the list; ending a timer unlinks it.
struct DurationQueue {
    /// The duration in nanoseconds.
    var duration: Int64
    /// The slots of the first and the last timer of the list, which is linked by `TimerNode.previous` and `next`.
    var head = noSlot
    var tail = noSlot
    /// The sort key of the first timer, for comparison with the timers of other queues and of the heap.
    var firstKey = HeapKey.never
    /// The deadline of the last timer. A timer with an earlier deadline does not belong in this queue.
    var lastDeadline: Int64 = .min

    /// The maximum number of these queues. Timers of further durations are in the heap.
    static let limit = 64

    var isEmpty: Bool { head == noSlot }
}

/// Placing a timer in the queue of its duration or in the heap. `i` is the timer's slot; deadlines are in nanoseconds.
extension TimerStorage {
    /// Gives a timer the next number in the order of setting, and places it by this number and `deadline`.
    mutating func place(_ i: Int, at deadline: Int64) {
        sequence += 1
        entries[i].deadline = deadline
        entries[i].sequence = sequence
        let key = HeapKey(
            deadline: deadline, sequence: sequence, slot: UInt32(truncatingIfNeeded: i))
        guard let queue = queue(for: entries[i].total),
            durationQueues[queue].lastDeadline <= deadline || durationQueues[queue].isEmpty
        else {
            nodes[i].membership = .heap
            return heap.insert(key, &nodes)
        }
        nodes[i].membership = .queue(queue)
        append(key, to: queue)
    }

    /// Places a restored timer with its recorded number in the order of setting. Of the timers with the same deadline, only
    /// those with a lower number precede it. The timer always goes into the heap, because a `DurationQueue` only appends.
    mutating func place(_ i: Int, at deadline: Int64, sequence: UInt64) {
        entries[i].deadline = deadline
        entries[i].sequence = sequence
        nodes[i].membership = .heap
        heap.insert(HeapKey(deadline: deadline, sequence: sequence, slot: UInt32(i)), &nodes)
    }

    private mutating func append(_ key: HeapKey, to queue: Int) {
        let i = Int(key.slot)
        nodes[i].previous = durationQueues[queue].tail
        nodes[i].next = noSlot
        if durationQueues[queue].isEmpty {
            durationQueues[queue].head = key.slot
            durationQueues[queue].firstKey = key
        } else {
            nodes[Int(durationQueues[queue].tail)].next = key.slot
        }
        durationQueues[queue].tail = key.slot
        durationQueues[queue].lastDeadline = key.deadline
    }

    /// Removes a running timer from its queue or from the heap. The caller then sets `membership` or places the timer again.
    mutating func unplace(_ i: Int) {
        let membership = nodes[i].membership
        if let queue = membership.queue {
            unlink(i, from: queue)
        } else if membership == .heap {
            heap.remove(at: Int(nodes[i].heapIndex), &nodes)
        }
    }

    private mutating func unlink(_ i: Int, from queue: Int) {
        let (previous, next) = (nodes[i].previous, nodes[i].next)
        if next != noSlot {
            nodes[Int(next)].previous = previous
        } else {
            durationQueues[queue].tail = previous
            durationQueues[queue].lastDeadline =
                previous != noSlot ? entries[Int(previous)].deadline : .min
        }
        if previous != noSlot {
            nodes[Int(previous)].next = next
        } else {
            durationQueues[queue].head = next
            durationQueues[queue].firstKey = next != noSlot ? key(of: next) : .never
        }
    }

    private func key(of i: UInt32) -> HeapKey {
        HeapKey(deadline: entries[Int(i)].deadline, sequence: entries[Int(i)].sequence, slot: i)
    }

    /// Returns the index of the queue for a duration. If the duration has no queue yet, makes a queue. If there are `limit`
    /// queues already, reuses an empty queue of another duration. Nil if none of them is empty.
    @inline(__always) private mutating func queue(for duration: Int64) -> Int? {
        for queue in durationQueues.indices where durationQueues[queue].duration == duration {
            return queue
        }
        return makeQueue(for: duration)
    }

    /// Not a part of `queue(for:)`, which each timer that is set calls.
    @inline(never) private mutating func makeQueue(for duration: Int64) -> Int? {
        if durationQueues.count < DurationQueue.limit {
            durationQueues.append(DurationQueue(duration: duration))
            return durationQueues.count - 1
        }
        guard let empty = durationQueues.indices.first(where: { durationQueues[$0].isEmpty }) else {
            return nil
        }
        durationQueues[empty] = DurationQueue(duration: duration)
        return empty
    }
}
