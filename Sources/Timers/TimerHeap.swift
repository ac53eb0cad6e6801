/// A heap, with four children per node, of the timers that are in no `DurationQueue`.
///
/// The slot of each timer records its index in the heap (`TimerNode.before`), so that one of a million timers
/// can be removed in a few steps. It would be faster on average to leave ended timers in the heap and to remove
/// them periodically, but one such pass over a million timers blocks the thread for tens of milliseconds.
struct TimerHeap: ~Copyable {
    private var nodes = PlainBuffer<HeapKey>()

    var top: HeapKey { nodes.count == 0 ? .never : nodes[0] }

    mutating func insert(_ node: HeapKey, _ links: inout PlainBuffer<TimerNode>) {
        nodes.append(node)
        rise(nodes.count - 1, &links)
    }

    mutating func remove(at index: Int, _ links: inout PlainBuffer<TimerNode>) {
        let last = nodes[nodes.count - 1]
        nodes.removeLast()
        guard index < nodes.count else { return }
        nodes[index] = last
        if index > 0, last.precedes(nodes[(index - 1) / 4]) {
            rise(index, &links)
        } else {
            sink(index, &links)
        }
    }

    private mutating func rise(_ start: Int, _ links: inout PlainBuffer<TimerNode>) {
        var index = start
        let node = nodes[index]
        while index > 0, node.precedes(nodes[(index - 1) / 4]) {
            put(nodes[(index - 1) / 4], index, &links)
            index = (index - 1) / 4
        }
        put(node, index, &links)
    }

    private mutating func sink(_ start: Int, _ links: inout PlainBuffer<TimerNode>) {
        var index = start
        let node = nodes[index]
        while let least = leastChild(of: index), nodes[least].precedes(node) {
            put(nodes[least], index, &links)
            index = least
        }
        put(node, index, &links)
    }

    private func leastChild(of index: Int) -> Int? {
        let first = 4 * index + 1
        guard first < nodes.count else { return nil }
        var least = first
        var child = first + 1
        while child < min(first + 4, nodes.count) {
            if nodes[child].precedes(nodes[least]) { least = child }
            child += 1
        }
        return least
    }

    /// Writes a node at an index of the heap, and records the index in the node of its timer.
    private mutating func put(_ node: HeapKey, _ index: Int, _ links: inout PlainBuffer<TimerNode>)
    {
        nodes[index] = node
        links[Int(node.slot)].before = UInt32(index)
    }
}
