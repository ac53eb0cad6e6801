/// A first-in, first-out queue. Appending and removing take constant time on average. The last element can also be removed.
///
/// The elements are in a circular array. While the number of elements does not grow, appending and
/// removing neither moves elements nor allocates memory. A copy shares the array until one of both is changed.
@frozen public struct Deque<Element> {
    /// The elements; nil until the first is appended.
    @usableFromInline var circle: DequeCircle<Element>?

    /// If `removeFirst` empties a queue with more places than this, it also frees the queue's memory.
    @usableFromInline static var keptPlaces: Int { 1024 }

    @inlinable public init() {}

    @inlinable public var count: Int { circle?.count ?? 0 }
    @inlinable public var isEmpty: Bool { count == 0 }
    @inlinable public var first: Element? { isEmpty ? nil : self[0] }
    @inlinable public var last: Element? { isEmpty ? nil : self[count - 1] }

    /// The element at an index; the first has the index 0.
    public subscript(_ index: Int) -> Element {
        // In place, because a copy of an element counts each of its references.
        @inlinable _read { yield ownCircle(of: index).place(index).pointee }
        @inlinable _modify {
            copyIfShared()
            yield &ownCircle(of: index).place(index).pointee
        }
    }

    /// The array that has an element with this index.
    @inlinable func ownCircle(of index: Int) -> DequeCircle<Element> {
        guard let circle, index >= 0, index < circle.count else {
            preconditionFailure("no such element")
        }
        return circle
    }

    /// All elements, oldest first.
    @inlinable public var elements: [Element] { (0..<count).map { self[$0] } }

    @inlinable public mutating func append(_ element: consuming Element) {
        copyIfShared()
        if let circle, circle.count <= circle.mask { return circle.append(element) }
        let larger = DequeCircle<Element>(places: max(4, 2 * count))
        if let circle { larger.takeAll(of: circle) }
        larger.append(element)
        circle = larger
    }

    /// Removes and returns the oldest element; nil if the queue is empty.
    @inlinable public mutating func removeFirst() -> Element? {
        copyIfShared()
        guard let circle, circle.count > 0 else { return nil }
        let element = circle.removeFirst()
        if circle.count == 0, circle.mask >= Self.keptPlaces { self.circle = nil }
        return element
    }

    /// Removes and returns the element that was appended last; nil if the queue is empty.
    @inlinable public mutating func removeLast() -> Element? {
        copyIfShared()
        guard let circle, circle.count > 0 else { return nil }
        return circle.removeLast()
    }

    /// Changes the element that was appended last, if there is one.
    @inlinable public mutating func changeLast(_ change: (inout Element) -> Void) {
        copyIfShared()
        guard let circle, circle.count > 0 else { return }
        change(&circle.place(circle.count - 1).pointee)
    }

    @inlinable public mutating func removeAll() { circle = nil }

    /// Gives this queue an array of its own before a change.
    @inlinable mutating func copyIfShared() {
        if circle == nil || isKnownUniquelyReferenced(&circle) { return }
        circle = circle?.copy()
    }
}

/// The circular array of a `Deque`. It is a class, because the elements end with its last owner.
///
/// Its accesses cannot overlap, because only methods of one queue change it; so they are not checked at run time.
@usableFromInline final class DequeCircle<Element> {
    /// The places of the elements. `count` successive places, beginning at the index `head`, are initialized.
    @usableFromInline let memory: UnsafeMutablePointer<Element>
    /// The number of places, which is a power of two, minus 1.
    @usableFromInline let mask: Int
    @exclusivity(unchecked) @usableFromInline var head = 0
    @exclusivity(unchecked) @usableFromInline var count = 0

    @inlinable init(places: Int) {
        memory = .allocate(capacity: places)
        mask = places - 1
    }

    @inlinable deinit {
        for index in 0..<count { place(index).deinitialize(count: 1) }
        memory.deallocate()
    }

    /// The place of the element at an index, or of the next element.
    @inlinable @inline(__always) func place(_ index: Int) -> UnsafeMutablePointer<Element> {
        memory + ((head &+ index) & mask)
    }

    /// Appends an element, for which there must be a place.
    @inlinable func append(_ element: consuming Element) {
        place(count).initialize(to: element)
        count &+= 1
    }

    /// Removes the oldest element, which must exist.
    @inlinable func removeFirst() -> Element {
        let element = place(0).move()
        head = (head &+ 1) & mask
        count &-= 1
        return element
    }

    /// Removes the newest element, which must exist.
    @inlinable func removeLast() -> Element {
        count &-= 1
        return place(count).move()
    }

    /// Moves all elements of another array to this one, which is empty and has enough places.
    @inlinable func takeAll(of other: DequeCircle<Element>) {
        for index in 0..<other.count {
            (memory + index).moveInitialize(from: other.place(index), count: 1)
        }
        (count, other.count) = (other.count, 0)
    }

    @inlinable func copy() -> DequeCircle<Element> {
        let copy = DequeCircle<Element>(places: mask + 1)
        for index in 0..<count { copy.append(place(index).pointee) }
        return copy
    }
}
