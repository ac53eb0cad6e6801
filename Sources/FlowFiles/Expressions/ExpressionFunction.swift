/// The functions of expressions.
enum ExpressionFunction: String, CaseIterable {
    /// The time that a timer has left.
    case left
    case min, max, abs
    /// The number of entries of a set or tally, or of characters of a text.
    case count
    /// The integer of a key in a tally; 0 if the tally does not have the key.
    case points
    /// A tally in which the integer of a key is increased.
    case add
    /// The first argument, or the second one if the first is null.
    case given

    /// The form of a call, for a finding.
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

    /// The allowed numbers of arguments.
    var argumentCounts: ClosedRange<Int> {
        switch self {
        case .left, .abs, .count: 1...1
        case .points, .given: 2...2
        case .min, .max: 2...16
        case .add: 3...3
        }
    }
}
