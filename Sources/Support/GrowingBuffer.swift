/// A growing array of plain values, such as bytes. When the array is emptied, it keeps its memory.
///
/// An `Array` counts references, and checks before each change whether its memory is shared. A `GrowingBuffer` does neither,
/// because only one value owns the memory. A reply or a row of the journal consists of about forty short pieces. Indices are
/// checked as in an `Array`.
public struct GrowingBuffer<Element: BitwiseCopyable>: ~Copyable {
    /// The memory for `capacity` elements. The first `count` elements are in use; the others can be written before `count` is
    /// increased.
    public var memory: UnsafeMutablePointer<Element> { @inlinable @inline(__always) get { start } }
    @usableFromInline var start: UnsafeMutablePointer<Element>
    @usableFromInline var capacity: Int
    /// The number of elements. Must not exceed the capacity.
    public var count = 0

    @inlinable public init(capacity: Int = 64) {
        self.capacity = max(capacity, 1)
        start = .allocate(capacity: self.capacity)
    }

    @inlinable deinit { start.deallocate() }

    @inlinable public subscript(_ index: Int) -> Element {
        @inline(__always) get {
            precondition(index >= 0 && index < count)
            return start[index]
        }
        @inline(__always) set {
            precondition(index >= 0 && index < count)
            start[index] = newValue
        }
    }

    /// Calls `body` with the elements from an index, which are valid only during the call.
    @inlinable @inline(__always) public func withElements<R>(
        from index: Int = 0, _ body: (UnsafeBufferPointer<Element>) throws -> R
    ) rethrows -> R {
        let index = min(max(0, index), count)
        return try body(UnsafeBufferPointer(start: start + index, count: count - index))
    }

    /// The elements of a range; valid until the buffer is changed or released.
    @inlinable public func elements(from index: Int, to end: Int) -> UnsafeBufferPointer<Element> {
        precondition(index >= 0 && index <= end && end <= count)
        return UnsafeBufferPointer(start: start + index, count: end - index)
    }
}

/// Changes.
extension GrowingBuffer {
    /// Makes space for more elements after the last.
    @inlinable @inline(__always) public mutating func reserve(_ more: Int) {
        if count + more > capacity { resize(to: max(capacity * 2, count + more)) }
    }

    @inlinable @inline(never) mutating func resize(to newCapacity: Int) {
        let other = UnsafeMutablePointer<Element>.allocate(capacity: newCapacity)
        other.update(from: start, count: count)
        start.deallocate()
        (start, capacity) = (other, newCapacity)
    }

    /// Reduces the memory to `size` elements, if the elements fit.
    @inlinable public mutating func shrink(to size: Int) {
        if count <= size, capacity > size { resize(to: max(size, 1)) }
    }

    @inlinable @inline(__always) public mutating func append(_ element: Element) {
        reserve(1)
        start[count] = element
        count += 1
    }

    @inlinable @inline(__always) public mutating func append(_ piece: UnsafeBufferPointer<Element>)
    {
        guard let first = piece.baseAddress else { return }
        reserve(piece.count)
        (start + count).update(from: first, count: piece.count)
        count += piece.count
    }

    /// Replaces all elements. `padding` copies of `filler` follow the last element; they can be read through `memory`, but are
    /// not elements.
    @inlinable public mutating func replace(
        with elements: UnsafeBufferPointer<Element>, padding: Int = 0, filler: Element
    ) {
        // `reserve` copies the first `count` elements: now none.
        count = 0
        reserve(elements.count + padding)
        append(elements)
        (start + count).update(repeating: filler, count: padding)
    }

    /// Moves the elements from an index, so that `length` elements can be written before them.
    @inlinable public mutating func makeGap(at index: Int, _ length: Int) {
        precondition(index >= 0 && index <= count && length >= 0)
        reserve(length)
        (start + index + length).update(from: start + index, count: count - index)
        count += length
    }

    @inlinable public mutating func removeAll() { count = 0 }

    /// Removes the first elements.
    @inlinable public mutating func removeFirst(_ length: Int) {
        let length = min(max(0, length), count)
        start.update(from: start + length, count: count - length)
        count -= length
    }

    /// Removes the elements from the index `newCount` on.
    @inlinable public mutating func truncate(to newCount: Int) {
        count = min(count, max(0, newCount))
    }
}
