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
