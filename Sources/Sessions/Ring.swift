/// The last of what was numbered from 1 without a gap: so many of them, and so many bytes from outside.
struct Ring<Element: RingElement> {
    private var elements: [Element?]
    private let byteLimit: Int
    private var bytes = 0
    /// The numbers held: `first..<end`.
    private(set) var first: Int
    private(set) var end: Int

    /// An empty ring, whose first element will have the number `first`.
    init(limit: Int, byteLimit: Int, startingAt first: Int = 1) {
        (self.first, end) = (first, first)
        elements = Array(repeating: nil, count: max(1, limit))
        self.byteLimit = byteLimit
    }

    subscript(_ number: Int) -> Element? {
        first..<end ~= number ? elements[number % elements.count] : nil
    }

    /// Takes the element with number `end`; the oldest goes when there is no more room.
    mutating func append(_ element: Element) {
        if end - first == elements.count { forgetFirst() }
        elements[end % elements.count] = element
        end += 1
        bytes += element.weight
        while bytes > byteLimit, first < end { forgetFirst() }
    }

    /// Takes back the elements behind a number; the next one has the number after it.
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

/// What a ring can hold.
protocol RingElement: AnyObject {
    /// About how many bytes from outside it holds on to.
    var weight: Int { get }
}
