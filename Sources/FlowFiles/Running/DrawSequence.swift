internal import GameFlow

/// The draws of one event: its row draws from the session's chance or, in a search, from the search's script.
///
/// A row draws in its written order, before its values are used in another order. So the row's expressions that draw are
/// evaluated first, and their values are kept here.
final class DrawSequence {
    private var draws: Draws
    /// The values of the expressions that were evaluated, or why they have none.
    private var results: [ObjectIdentifier: Result<Value, EvaluationError>] = [:]

    init(_ chance: Chance?, _ script: DrawScript) { draws = Draws(chance, script) }

    /// The chance after the draws so far; nil in a search.
    var chance: Chance? { draws.chance }

    /// The value of an expression that was evaluated; nil if it was not.
    func value(of expression: CompiledExpression) throws(EvaluationError) -> Value? {
        guard let result = results[ObjectIdentifier(expression)] else { return nil }
        return try result.get()
    }

    /// Evaluates the expressions of a row that draw.
    func evaluate(_ rowDraws: [RowDraw], _ context: EvaluationContext) {
        for draw in rowDraws {
            draws.isDecisive = draw.isDecisive
            results[ObjectIdentifier(draw.expression)] = Result { () throws(EvaluationError) in
                try draw.expression.evaluate(context)
            }
        }
        draws.isDecisive = true
    }

    // MARK: draws

    /// Returns a number of a range.
    func number(in range: ClosedRange<Int>) -> Int { draws.number(in: range) }

    /// Returns the numbers from 1 to `count` in a random order.
    func order(_ count: Int) -> [Int] { draws.order(count) }
}

/// An expression of a row that draws.
struct RowDraw {
    let expression: CompiledExpression
    /// Whether its value can decide what happens.
    var isDecisive = true
}
