/// A heap, with four children for each key, of the running timers that are in no `DurationQueue`.
///
/// The `TimerNode` of each timer records the index of the timer's key in the heap. So one of a million timers can be removed in
/// a few steps. For this the methods get all nodes of the `TimerStorage`. On average it would be faster to leave ended timers
/// in the heap, and to remove all of them from time to time. But in a heap of a million timers, this removal would block the
/// thread for tens of milliseconds.
struct TimerHeap: ~Copyable {
    private var keys = PlainBuffer<HeapKey>()

    /// The key of the timer that fires first; `HeapKey.never` if the heap is empty.
    var top: HeapKey { keys.count == 0 ? .never : keys[0] }

    mutating func insert(_ key: HeapKey, _ nodes: inout PlainBuffer<TimerNode>) {
        keys.append(key)
        siftUp(keys.count - 1, &nodes)
    }

    mutating func remove(at index: Int, _ nodes: inout PlainBuffer<TimerNode>) {
        let last = keys[keys.count - 1]
        keys.removeLast()
        guard index < keys.count else { return }
        keys[index] = last
        if index > 0, last.precedes(keys[Self.parent(of: index)]) {
            siftUp(index, &nodes)
        } else {
            siftDown(index, &nodes)
        }
    }

    /// Moves the key at `start` toward the top until its parent precedes it.
    private mutating func siftUp(_ start: Int, _ nodes: inout PlainBuffer<TimerNode>) {
        var index = start
        let key = keys[index]
        while index > 0, key.precedes(keys[Self.parent(of: index)]) {
            let parent = Self.parent(of: index)
            write(keys[parent], index, &nodes)
            index = parent
        }
        write(key, index, &nodes)
    }

    /// Moves the key at `start` away from the top until it precedes its children.
    private mutating func siftDown(_ start: Int, _ nodes: inout PlainBuffer<TimerNode>) {
        var index = start
        let key = keys[index]
        while let least = leastChild(of: index), keys[least].precedes(key) {
            write(keys[least], index, &nodes)
            index = least
        }
        write(key, index, &nodes)
    }

    private static func parent(of index: Int) -> Int { (index - 1) / 4 }

    /// The index of the child that precedes its siblings; nil if there is no child.
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
    private mutating func write(
        _ key: HeapKey, _ index: Int, _ nodes: inout PlainBuffer<TimerNode>
    ) {
        keys[index] = key
        nodes[Int(key.slot)].heapIndex = UInt32(index)
    }
}
