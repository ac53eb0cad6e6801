/// A heap, with four children per node, of the timers that no lane takes.
///
/// The slot of each timer records its index in the heap (`TimerNode.before`), so that one of a million timers
/// can be removed in a few steps. Leaving ended timers in the heap and removing them periodically has a higher
/// throughput, but one such pass over a million timers blocks the thread for tens of milliseconds.
struct TimerHeap: ~Copyable {
    private var nodes = PlainBuffer<HeapKey>()

    var top: HeapKey { nodes.count == 0 ? .never : nodes[0] }

    mutating func insert(_ node: HeapKey, _ links: inout PlainBuffer<TimerNode>) {
        nodes.append(node)
        rise(nodes.count - 1, &links)
    }

    mutating func remove(at place: Int, _ links: inout PlainBuffer<TimerNode>) {
        let last = nodes[nodes.count - 1]
        nodes.removeLast()
        guard place < nodes.count else { return }
        nodes[place] = last
        if place > 0, last.precedes(nodes[(place - 1) / 4]) {
            rise(place, &links)
        } else {
            sink(place, &links)
        }
    }

    private mutating func rise(_ start: Int, _ links: inout PlainBuffer<TimerNode>) {
        var at = start
        let node = nodes[at]
        while at > 0, node.precedes(nodes[(at - 1) / 4]) {
            put(nodes[(at - 1) / 4], at, &links)
            at = (at - 1) / 4
        }
        put(node, at, &links)
    }

    private mutating func sink(_ start: Int, _ links: inout PlainBuffer<TimerNode>) {
        var at = start
        let node = nodes[at]
        while let least = leastChild(of: at), nodes[least].precedes(node) {
            put(nodes[least], at, &links)
            at = least
        }
        put(node, at, &links)
    }

    private func leastChild(of at: Int) -> Int? {
        let first = 4 * at + 1
        guard first < nodes.count else { return nil }
        var least = first
        var child = first + 1
        while child < min(first + 4, nodes.count) {
            if nodes[child].precedes(nodes[least]) { least = child }
            child += 1
        }
        return least
    }

    private mutating func put(_ node: HeapKey, _ at: Int, _ links: inout PlainBuffer<TimerNode>) {
        nodes[at] = node
        links[Int(node.slot)].before = UInt32(at)
    }
}
