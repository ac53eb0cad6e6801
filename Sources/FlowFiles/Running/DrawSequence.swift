internal import GameFlow

/// The draws of one event: its row draws from the session's chance or, in a search, from the search's script.
///
/// A row draws in its written order, before its values are used in another order. So the row's expressions that draw are
/// evaluated first, and their values are kept here.
final class DrawSequence {
    /// The chance after the draws so far; nil in a search.
    private(set) var chance: Chance?
    private let script: DrawScript
    /// Whether the values that are being drawn can decide what happens. A search tries one outcome of all others.
    private var isDecisive = true
    /// The values of the expressions that were evaluated, or why they have none.
    private var results: [ObjectIdentifier: Result<Value, EvaluationError>] = [:]

    init(_ chance: Chance?, _ script: DrawScript) { (self.chance, self.script) = (chance, script) }

    /// The value of an expression that was evaluated; nil if it was not.
    func value(of expression: CompiledExpression) throws(EvaluationError) -> Value? {
        guard let result = results[ObjectIdentifier(expression)] else { return nil }
        return try result.get()
    }

    /// Evaluates the expressions of a row that draw.
    func evaluate(_ draws: [RowDraw], _ context: EvaluationContext) {
        for draw in draws {
            isDecisive = draw.isDecisive
            results[ObjectIdentifier(draw.expression)] = Result { () throws(EvaluationError) in
                try draw.expression.evaluate(context)
            }
        }
        isDecisive = true
    }

    // MARK: draws

    /// The largest number of values of a range or set that a search tries whole.
    private static let wholeLimit = 16

    /// Returns a number of a range. A search tries all numbers of a small range, otherwise the ends.
    func number(in range: ClosedRange<Int>) -> Int {
        guard chance == nil else {
            let size = UInt64(range.upperBound - range.lowerBound) + 1
            return range.lowerBound + Int(chance!.next(below: size))
        }
        guard isDecisive else { return range.lowerBound }
        let isWhole = range.upperBound - range.lowerBound < Self.wholeLimit
        let index = script.choose(of: isWhole ? range.count : 2, isWhole: isWhole)
        return isWhole ? range.lowerBound + index : index == 0 ? range.lowerBound : range.upperBound
    }

    /// Returns the numbers from 1 to `count` in a random order (Fisher-Yates, from the last place down). A search tries the
    /// written order and its reverse.
    func order(_ count: Int) -> [Int] {
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

/// An expression of a row that draws.
struct RowDraw {
    let expression: CompiledExpression
    /// Whether its value can decide what happens.
    var isDecisive = true
}
