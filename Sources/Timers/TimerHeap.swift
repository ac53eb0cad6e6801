/// A heap, with four children per node, of the timers that are in no `DurationQueue`.
///
/// Each timer's node records the timer's index in the heap (`TimerNode.before`), so that one of a million timers
/// can be removed in a few steps. It would be faster on average to leave ended timers in the heap and to
/// remove all of them from time to time, but in a heap of a million timers this would block the thread for tens of
/// milliseconds.
struct TimerHeap: ~Copyable {
    private var keys = PlainBuffer<HeapKey>()

    var top: HeapKey { keys.count == 0 ? .never : keys[0] }

    mutating func insert(_ key: HeapKey, _ nodes: inout PlainBuffer<TimerNode>) {
        keys.append(key)
        rise(keys.count - 1, &nodes)
    }

    mutating func remove(at index: Int, _ nodes: inout PlainBuffer<TimerNode>) {
        let last = keys[keys.count - 1]
        keys.removeLast()
        guard index < keys.count else { return }
        keys[index] = last
        if index > 0, last.precedes(keys[(index - 1) / 4]) {
            rise(index, &nodes)
        } else {
            sink(index, &nodes)
        }
    }

    private mutating func rise(_ start: Int, _ nodes: inout PlainBuffer<TimerNode>) {
        var index = start
        let key = keys[index]
        while index > 0, key.precedes(keys[(index - 1) / 4]) {
            put(keys[(index - 1) / 4], index, &nodes)
            index = (index - 1) / 4
        }
        put(key, index, &nodes)
    }

    private mutating func sink(_ start: Int, _ nodes: inout PlainBuffer<TimerNode>) {
        var index = start
        let key = keys[index]
        while let least = leastChild(of: index), keys[least].precedes(key) {
            put(keys[least], index, &nodes)
            index = least
        }
        put(key, index, &nodes)
    }

    private func leastChild(of index: Int) -> Int? {
        let first = 4 * index + 1
        guard first < keys.count else { return nil }
        var least = first
        var child = first + 1
        while child < min(first + 4, keys.count) {
            if keys[child].precedes(keys[least]) { least = child }
            child += 1
        }
        return least
    }

    /// Writes a key at an index of the heap, and records the index in the timer's node.
    private mutating func put(_ key: HeapKey, _ index: Int, _ nodes: inout PlainBuffer<TimerNode>) {
        keys[index] = key
        nodes[Int(key.slot)].before = UInt32(index)
    }
}
