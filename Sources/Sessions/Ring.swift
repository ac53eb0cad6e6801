internal import GameFlow
internal import Support

/// A buffer of the newest elements of a sequence that is numbered without gaps. The buffer has two limits: the number of
/// elements, and the sum of their weights.
struct Ring<Element: RingElement> {
    /// Not allocated in full: a node has a ring for each of its shards, and most rings stay small. A number that was skipped, or
    /// that has no element, has nil in place of it.
    private var elements = Deque<Element?>()
    /// The maximum number of elements.
    private let limit: Int
    /// The maximum of `bytes`.
    private let byteLimit: Int
    /// The sum of the elements' weights.
    private var bytes = 0
    /// The number of the oldest element in the ring. The ring holds the elements with the numbers `first..<end`.
    private(set) var first: Int
    /// The number that the next element will get.
    private(set) var end: Int

    /// Creates an empty ring whose first element will have the number `first`.
    init(limit: Int, byteLimit: Int, startingAt first: Int = 1) {
        (self.first, end) = (first, first)
        self.limit = max(1, limit)
        self.byteLimit = byteLimit
    }

    /// The element with the number `number`; nil if the ring does not hold it.
    subscript(_ number: Int) -> Element? {
        first..<end ~= number ? elements[number - first] : nil
    }

    /// Appends the element with the number `end`; nil if that number has none. Removes the oldest elements if there is no room, and
    /// calls `removed` with each of them.
    @inline(__always) mutating func append(
        _ element: Element?, removed: (Element) -> Void = { _ in }
    ) {
        if elements.count == limit, let old = removeFirst() { removed(old) }
        elements.append(element)
        end += 1
        bytes += element?.weight ?? 0
        while bytes > byteLimit, first < end {
            if let old = removeFirst() { removed(old) }
        }
    }

    /// Skips the numbers up to `number`, for which there are no elements.
    mutating func skip(upTo number: Int) {
        // More than `limit` numbers leave no element.
        if number - end >= limit {
            (elements, bytes, first, end) = (Deque(), 0, number + 1, number + 1)
        }
        while end <= number {
            if elements.count == limit { removeFirst() }
            elements.append(nil)
            end += 1
        }
    }

    /// Removes the elements whose numbers are greater than `number`; the next element gets the number `number` + 1.
    mutating func removeAll(after number: Int) {
        while end > max(first, number + 1) {
            end -= 1
            bytes -= (elements.removeLast() ?? nil)?.weight ?? 0
        }
        if first > number + 1 { (first, end) = (number + 1, number + 1) }
    }

    @discardableResult private mutating func removeFirst() -> Element? {
        let removed = elements.removeFirst() ?? nil
        bytes -= removed?.weight ?? 0
        first += 1
        return removed
    }
}

/// An element of a ring.
protocol RingElement {
    /// The approximate number of bytes from clients that the element retains.
    var weight: Int { get }
}

/// The daemon's newest changes by `pos`, from which a watcher can get the changes that it missed.
typealias ChangeRing = Ring<Change>

extension Change: RingElement {}

extension Ring where Element == Change {
    /// Whether the ring holds all changes after `pos`; false if `pos` is beyond the newest change. `pos` comes from a client
    /// and may be any `Int`. The function adds nothing to `pos`, because the addition could overflow.
    func holdsAll(after pos: Int) -> Bool { pos >= first - 1 && pos < end }

    /// Returns the `pos` of a session's first change after the change with the number `seq`; `end` if there is none yet. Returns
    /// nil if the first change after `seq` is no longer in the ring, or if `seq` is greater than the number of the session's
    /// newest change.
    func position(after seq: Int, upTo session: Session) -> Int? {
        guard seq < session.seq else { return session.seq == seq ? end : nil }
        guard case .recent(var change) = session.newest else { return nil }
        while change.seq > seq + 1 {
            guard let previous = self[change.previous] else { return nil }
            change = previous
        }
        return self[change.pos] === change ? change.pos : nil
    }
}

/// The approximate size of a value in JSON, in bytes. The limits of rings, of the idempotency cache and of recorded refusals
/// count these sizes. The added numbers stand for quotation marks, brackets, commas and fixed member names.
extension Value {
    var weight: Int {
        switch self {
        case .null, .bool: 5
        // About the number of digits: a bit is 0.3 digits.
        case .int(let number):
            1 + (Int.bitWidth - number.magnitude.leadingZeroBitCount) * 3 / 10
        case .string(let text): text.utf8.count + 2
        case .unfit(_, let raw): raw.utf8.count
        case .array(let values): values.reduce(2) { $0 + $1.weight + 1 }
        case .object(let members): members.weight
        }
    }
}

extension [Member] {
    var weight: Int { reduce(2) { $0 + $1.name.utf8.count + 4 + $1.value.weight } }
}

extension EventRecord {
    var weight: Int { name.utf8.count + arguments.weight + 20 }
}

extension StateRecord {
    var weight: Int { state.utf8.count + data.weight + 20 }
}
