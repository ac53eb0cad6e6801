/// First in, first out, both in constant time on the whole.
public struct FIFO<Element> {
    private var elements: [Element?] = []
    private var head = 0

    public init() {}

    public var count: Int { elements.count - head }
    public var isEmpty: Bool { count == 0 }
    public var first: Element? { isEmpty ? nil : elements[head] }

    public mutating func append(_ element: Element) { elements.append(element) }

    public mutating func removeFirst() -> Element? {
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

    public var last: Element? { isEmpty ? nil : elements[elements.count - 1] }

    /// Takes back what was appended last.
    public mutating func removeLast() -> Element? { isEmpty ? nil : elements.removeLast() }

    /// Changes what was appended last, if there is anything.
    mutating func changeLast(_ change: (inout Element) -> Void) {
        guard var last = removeLast() else { return }
        change(&last)
        append(last)
    }

    public mutating func removeAll() {
        elements = []
        head = 0
    }
}
