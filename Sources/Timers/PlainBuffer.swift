/// A growable list of trivial values in memory that it owns. It never shrinks.
///
/// In an `Array`, each access to an element costs reference counting and a uniqueness check. Setting a timer would spend more
/// time on these than on all its other work. Indices must be below `count`; only debug builds check this.
@safe struct PlainBuffer<Element: BitwiseCopyable>: ~Copyable {
    private var memory: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    /// Creates an empty list with room for `capacity` elements.
    init(capacity: Int = 16) {
        self.capacity = capacity
        unsafe memory = .allocate(capacity: capacity)
    }

    deinit { unsafe memory.deallocate() }

    subscript(_ index: Int) -> Element {
        @inline(__always) get {
            assert(index >= 0 && index < count)
            return unsafe memory[index]
        }
        @inline(__always) _modify {
            assert(index >= 0 && index < count)
            yield unsafe &memory[index]
        }
    }
    var indices: Range<Int> { 0..<count }

    @inline(__always) mutating func append(_ element: Element) {
        if count == capacity { reserve(2 * capacity) }
        unsafe (memory + count).initialize(to: element)
        count += 1
    }

    /// Removes the last element.
    mutating func removeLast() {
        assert(count > 0)
        count -= 1
    }

    /// Reserves room for `size` elements in total.
    mutating func reserve(_ size: Int) {
        guard size > capacity else { return }
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: size)
        unsafe larger.moveInitialize(from: memory, count: count)
        unsafe memory.deallocate()
        unsafe memory = larger
        capacity = size
    }
}
