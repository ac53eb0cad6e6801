/// A queue with first in, first out in constant time on average. The last element can also be
/// removed.
@frozen public struct Deque<Element> {
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var head = 0

    @inlinable public init() {}

    @inlinable public var count: Int { elements.count - head }
    @inlinable public var isEmpty: Bool { elements.count == head }
    @inlinable public var first: Element? { isEmpty ? nil : elements[head] }
    @inlinable public var last: Element? { isEmpty ? nil : elements[elements.count - 1] }

    @inlinable public mutating func append(_ element: Element) { elements.append(element) }

    @inlinable public mutating func removeFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = exchange(&elements[head], with: nil)
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: head < 1024)
            head = 0
        } else if head > 1024, head > elements.count / 2 {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Removes the element that was appended last.
    @inlinable public mutating func removeLast() -> Element? {
        isEmpty ? nil : elements.removeLast()
    }

    /// Changes the element that was appended last, if there is one.
    @inlinable public mutating func changeLast(_ change: (inout Element) -> Void) {
        guard var last = removeLast() else { return }
        change(&last)
        append(last)
    }

    @inlinable public mutating func removeAll() {
        elements = []
        head = 0
    }
}
