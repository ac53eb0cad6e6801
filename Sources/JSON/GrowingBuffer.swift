/// A list of plain values in memory of its own, which grows and is used again.
///
/// Not an array: one stands inside another type's memory, so that looking at it neither counts
/// references nor asks whether somebody else is looking. Its places are checked, as an array's are.
struct GrowingBuffer<Element: BitwiseCopyable>: ~Copyable {
    private var memory: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 64) {
        self.capacity = capacity
        memory = .allocate(capacity: capacity)
    }

    deinit { memory.deallocate() }

    subscript(_ place: Int) -> Element {
        @inline(__always) get {
            precondition(place >= 0 && place < count)
            return memory[place]
        }
        @inline(__always) set {
            precondition(place >= 0 && place < count)
            memory[place] = newValue
        }
    }

    @inline(__always) mutating func append(_ element: Element) {
        if count == capacity { grow(to: 2 * capacity) }
        memory[count] = element
        count += 1
    }

    /// Forgets what there is, and takes in `elements`.
    mutating func replace(with elements: UnsafeBufferPointer<Element>) {
        count = 0
        if elements.count > capacity { grow(to: elements.count) }
        guard let start = elements.baseAddress else { return }
        memory.update(from: start, count: elements.count)
        count = elements.count
    }

    mutating func removeAll() { count = 0 }

    /// The elements from one place to before another, for as long as nothing is added.
    func elements(from start: Int, to end: Int) -> UnsafeBufferPointer<Element> {
        precondition(start >= 0 && start <= end && end <= count)
        return UnsafeBufferPointer(start: memory + start, count: end - start)
    }

    private mutating func grow(to size: Int) {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: size)
        larger.update(from: memory, count: count)
        memory.deallocate()
        (memory, capacity) = (larger, size)
    }
}
