/// A growing array of plain values. When the array is emptied, it keeps its memory. A `JSONText` has two of these arrays: its
/// text and its nodes.
///
/// An `Array` counts references, and checks before each change whether its memory is shared. A `GrowingBuffer` does neither,
/// because only one value owns the memory. Indices are checked as in an `Array`.
@usableFromInline struct GrowingBuffer<Element: BitwiseCopyable>: ~Copyable {
    /// The memory for `capacity` elements. The first `count` elements are in use.
    @usableFromInline var memory: UnsafeMutablePointer<Element>
    @usableFromInline var capacity: Int
    @usableFromInline var count = 0

    init(capacity: Int = 64) {
        self.capacity = capacity
        memory = .allocate(capacity: capacity)
    }

    @inlinable deinit { memory.deallocate() }

    @usableFromInline subscript(_ index: Int) -> Element {
        @inlinable @inline(__always) get {
            precondition(index >= 0 && index < count)
            return memory[index]
        }
        @inline(__always) set {
            precondition(index >= 0 && index < count)
            memory[index] = newValue
        }
    }

    @inlinable @inline(__always) mutating func append(_ element: Element) {
        if count == capacity { grow(to: 2 * capacity) }
        memory[count] = element
        count += 1
    }

    /// Replaces all elements. `padding` copies of `filler` follow the last element; they can be read through `memory`, but are
    /// not elements.
    mutating func replace(
        with elements: UnsafeBufferPointer<Element>, padding: Int = 0, filler: Element
    ) {
        // `grow` copies the first `count` elements: now none.
        count = 0
        if elements.count + padding > capacity { grow(to: elements.count + padding) }
        if let start = elements.baseAddress { memory.update(from: start, count: elements.count) }
        (memory + elements.count).update(repeating: filler, count: padding)
        count = elements.count
    }

    mutating func removeAll() { count = 0 }

    /// Removes the elements from the index `newCount` on.
    mutating func truncate(to newCount: Int) { count = min(count, max(0, newCount)) }

    /// The elements of a range; valid until the buffer is changed.
    func elements(from start: Int, to end: Int) -> UnsafeBufferPointer<Element> {
        precondition(start >= 0 && start <= end && end <= count)
        return UnsafeBufferPointer(start: memory + start, count: end - start)
    }

    @usableFromInline @inline(never) mutating func grow(to newCapacity: Int) {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: newCapacity)
        larger.update(from: memory, count: count)
        memory.deallocate()
        (memory, capacity) = (larger, newCapacity)
    }
}
