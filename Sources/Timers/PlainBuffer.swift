/// A list of plain values in memory of its own, which only grows.
///
/// Not an array: looking at an array's element counts references and asks whether somebody else is looking, which
/// costs more than setting a timer. The caller keeps within `count`; debug builds, and so all tests, check that.
@safe struct PlainBuffer<Element: BitwiseCopyable>: ~Copyable {
    private var memory: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    /// An empty list.
    init(capacity: Int = 16) {
        self.capacity = capacity
        unsafe memory = .allocate(capacity: capacity)
    }

    deinit { unsafe memory.deallocate() }

    subscript(_ place: Int) -> Element {
        @inline(__always) get {
            assert(place >= 0 && place < count)
            return unsafe memory[place]
        }
        @inline(__always) _modify {
            assert(place >= 0 && place < count)
            yield unsafe &memory[place]
        }
    }
    var indices: Range<Int> { 0..<count }

    @inline(__always) mutating func append(_ element: Element) {
        if count == capacity { reserve(2 * capacity) }
        unsafe (memory + count).initialize(to: element)
        count += 1
    }

    /// Forgets the last element.
    mutating func removeLast() {
        assert(count > 0)
        count -= 1
    }

    /// Makes room for so many elements in all.
    mutating func reserve(_ size: Int) {
        guard size > capacity else { return }
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: size)
        unsafe larger.moveInitialize(from: memory, count: count)
        unsafe memory.deallocate()
        unsafe memory = larger
        capacity = size
    }
}
