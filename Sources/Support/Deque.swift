/// A first-in, first-out queue. Appending and removing take constant time on average. The last element can also be removed.
///
/// The elements are in a circular array. While the number of elements does not grow, appending and
/// removing neither moves elements nor allocates memory.
@frozen public struct Deque<Element> {
    /// The circular array. The elements are in `elementCount` successive places, beginning at the index `head`. The other
    /// places are nil. The number of places is a power of two, or 0.
    @usableFromInline var places: [Element?] = []
    @usableFromInline var head = 0
    @usableFromInline var elementCount = 0

    /// If `removeFirst` empties a queue with more places than this, it also frees the queue's memory.
    @usableFromInline static var keptPlaces: Int { 1024 }

    @inlinable public init() {}

    @inlinable public var count: Int { elementCount }
    @inlinable public var isEmpty: Bool { elementCount == 0 }
    @inlinable public var first: Element? { isEmpty ? nil : places[head] }
    @inlinable public var last: Element? { isEmpty ? nil : places[place(count - 1)] }

    /// The element at an index; the first has the index 0.
    public subscript(_ index: Int) -> Element {
        @inlinable get {
            precondition(index >= 0 && index < count, "no such element")
            return places[place(index)]!
        }
        @inlinable set {
            precondition(index >= 0 && index < count, "no such element")
            places[place(index)] = newValue
        }
    }

    /// All elements, oldest first.
    @inlinable public var elements: [Element] { (0..<count).map { self[$0] } }

    /// The position in `places` of the element at an index.
    @inlinable func place(_ index: Int) -> Int { (head &+ index) & (places.count &- 1) }

    @inlinable public mutating func append(_ element: consuming Element) {
        if count == places.count { grow() }
        places[place(count)] = element
        elementCount += 1
    }

    /// Removes and returns the oldest element; nil if the queue is empty.
    @inlinable public mutating func removeFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = exchange(&places[head], with: nil)
        head = place(1)
        elementCount -= 1
        if isEmpty, places.count > Self.keptPlaces { removeAll() }
        return element
    }

    /// Removes and returns the element that was appended last; nil if the queue is empty.
    @inlinable public mutating func removeLast() -> Element? {
        guard !isEmpty else { return nil }
        elementCount -= 1
        return exchange(&places[place(count)], with: nil)
    }

    /// Changes the element that was appended last, if there is one.
    @inlinable public mutating func changeLast(_ change: (inout Element) -> Void) {
        guard var last = removeLast() else { return }
        change(&last)
        append(last)
    }

    @inlinable public mutating func removeAll() {
        places = []
        (head, elementCount) = (0, 0)
    }

    /// Doubles the number of places, and moves the elements to the beginning.
    @inlinable mutating func grow() {
        let size = max(4, 2 * count)
        var larger: [Element?] = []
        larger.reserveCapacity(size)
        for index in 0..<count { larger.append(exchange(&places[place(index)], with: nil)) }
        for _ in count..<size { larger.append(nil) }
        places = larger
        head = 0
    }
}
