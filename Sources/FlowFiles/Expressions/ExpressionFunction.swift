/// The functions of expressions.
enum ExpressionFunction: String, CaseIterable {
    case left, min, max, abs, count, points, add, given

    /// How it is written.
    var form: String {
        switch self {
        case .left: "left(TIMER)"
        case .min: "min(A, B)"
        case .max: "max(A, B)"
        case .abs: "abs(A)"
        case .count: "count(SET), count(TALLY) or count(TEXT)"
        case .points: "points(TALLY, KEY)"
        case .add: "add(TALLY, KEY, N)"
        case .given: "given(X, Y)"
        }
    }

    /// How many arguments it takes.
    var counts: ClosedRange<Int> {
        switch self {
        case .left, .abs, .count: 1...1
        case .points, .given: 2...2
        case .min, .max: 2...16
        case .add: 3...3
        }
    }
}
