/// Draws random values, one after the other, from a chance or, in a search, from the search's script.
package struct Draws {
    /// The chance after the draws so far; nil in a search.
    package private(set) var chance: Chance?
    private let script: DrawScript
    /// Whether the values can decide what happens. A search tries one outcome of all others.
    package var isDecisive = true

    package init(_ chance: Chance?, _ script: DrawScript) {
        (self.chance, self.script) = (chance, script)
    }

    /// The largest number of values of a range that a search tries whole.
    private static let wholeLimit = 16

    /// Returns a number of a range. A search tries all numbers of a small range, otherwise the ends.
    package mutating func number(in range: ClosedRange<Int>) -> Int {
        // The number of values less one; it fits even for the range of all numbers.
        let last = UInt64(bitPattern: Int64(range.upperBound &- range.lowerBound))
        guard chance == nil else {
            let offset = last == .max ? chance!.next() : chance!.next(below: last + 1)
            return range.lowerBound &+ Int(truncatingIfNeeded: offset)
        }
        guard isDecisive else { return range.lowerBound }
        let isWhole = last < Self.wholeLimit
        let index = script.choose(of: isWhole ? Int(last) + 1 : 2, isWhole: isWhole)
        return isWhole ? range.lowerBound + index : index == 0 ? range.lowerBound : range.upperBound
    }

    /// Returns the numbers from 1 to `count` in a random order (Fisher-Yates, from the last place down). A search tries the
    /// written order and its reverse.
    package mutating func order(_ count: Int) -> [Int] {
        var numbers = Array(0..<count).map { $0 + 1 }
        guard chance == nil else {
            for place in numbers.indices.dropFirst().reversed() {
                numbers.swapAt(place, number(in: 0...place))
            }
            return numbers
        }
        guard isDecisive, count > 1 else { return numbers }
        let isReversed = script.choose(of: 2, isWhole: count == 2) == 1
        return isReversed ? numbers.reversed() : numbers
    }
}

extension AnyMachine {
    /// Calls `work` with the draws of the step that is being made. If the step is refused, they are taken back.
    ///
    /// Throws `invalid` if the flow does not say that it draws. A state that is restored draws nothing: the result is nil.
    final func draw<Result>(_ work: (inout Draws) -> Result) throws(Reason) -> Result? {
        guard let script = flow.drawScript else {
            throw .invalid("random", "the flow \(flow.name) does not say that it draws values")
        }
        if isRestoring { return nil }
        let features = createdFeatures
        var draws = Draws(features.chance, script)
        let result = work(&draws)
        if features.requests.chanceBefore == nil {
            features.requests.chanceBefore = features.chance
        }
        features.chance = draws.chance
        hasRequests = true
        return result
    }
}

extension Entry {
    /// Draws a number of a range, each with the same probability. The flow's `drawsRandomValues` must be true.
    ///
    /// The draws of a session come from its seed, so a restart, a replay and an undo have the same values. If the transition is
    /// refused, the draw is taken back. A search, such as lint, tries all numbers of a small range, otherwise its ends. Draw in the
    /// transitions that `select` returns: a state that is restored gets `range.lowerBound`.
    public func random(in range: ClosedRange<Int>) throws(Reason) -> Int {
        try machine.draw { $0.number(in: range) } ?? range.lowerBound
    }

    /// Draws an element, each with the same probability; nil if `elements` is empty. See `random(in:)`.
    public func randomElement<Element>(of elements: [Element]) throws(Reason) -> Element? {
        if elements.isEmpty { return nil }
        return elements[try random(in: 0...elements.count - 1)]
    }

    /// Returns the elements in a random order, each order with the same probability. See `random(in:)`; a search tries the given
    /// order and its reverse.
    public func shuffled<Element>(_ elements: [Element]) throws(Reason) -> [Element] {
        guard let order = try machine.draw({ $0.order(elements.count) }) else { return elements }
        return order.map { elements[$0 - 1] }
    }
}
