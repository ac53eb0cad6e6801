/// A buffer of the newest elements of a sequence that is numbered from 1 without gaps. It is limited by the
/// number of elements and by their bytes from clients.
struct Ring<Element: RingElement> {
    private var elements: [Element?]
    private let byteLimit: Int
    private var bytes = 0
    /// The numbers held: `first..<end`.
    private(set) var first: Int
    private(set) var end: Int

    /// Creates an empty ring whose first element will have the number `first`.
    init(limit: Int, byteLimit: Int, startingAt first: Int = 1) {
        (self.first, end) = (first, first)
        elements = Array(repeating: nil, count: max(1, limit))
        self.byteLimit = byteLimit
    }

    subscript(_ number: Int) -> Element? {
        first..<end ~= number ? elements[number % elements.count] : nil
    }

    /// Appends the element with the number `end`; removes the oldest ones if there is no room.
    mutating func append(_ element: Element) {
        if end - first == elements.count { forgetFirst() }
        elements[end % elements.count] = element
        end += 1
        bytes += element.weight
        while bytes > byteLimit, first < end { forgetFirst() }
    }

    /// Removes the elements after `number`; the next element gets the number after it.
    mutating func removeAll(after number: Int) {
        while end > max(first, number + 1) {
            end -= 1
            bytes -= elements[end % elements.count]?.weight ?? 0
            elements[end % elements.count] = nil
        }
        if first > number + 1 { (first, end) = (number + 1, number + 1) }
    }

    private mutating func forgetFirst() {
        bytes -= elements[first % elements.count]?.weight ?? 0
        elements[first % elements.count] = nil
        first += 1
    }
}

/// An element of a ring.
protocol RingElement: AnyObject {
    /// The approximate number of bytes from clients that the element retains.
    var weight: Int { get }
}
