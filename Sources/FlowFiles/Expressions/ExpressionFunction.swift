/// The functions that an expression of a flow file can call.
enum ExpressionFunction: String, CaseIterable {
    /// The remaining time of a timer; the time that a stopwatch has spent.
    case left, spent
    /// `min` is the smallest and `max` the largest of several numbers; `abs` is the absolute value of a number. Numbers are
    /// integers or durations.
    case min, max, abs
    /// The number of entries of a set, checklist or tally, or of characters of a text.
    case count
    /// Whether every item of a checklist is ticked.
    case all
    /// The integer of a key in a tally; 0 if the tally does not have the key.
    case points
    /// A copy of a tally in which the integer of a key is increased.
    case add
    /// `leaders` are the keys of a tally with the largest integer, and `top` is that integer. `rank` is the place of a key: 1
    /// plus the number of keys with larger integers; 0 if the tally does not have the key.
    case leaders, top, rank
    /// An integer, a boolean or a duration as a text for people.
    case text
    /// The number of the first row of a table that has a value in a column; 0 if no row has it.
    case find
    /// Random values: a number of a range, an element of a set, and the numbers of a table's rows in a random order.
    case random, pick, shuffle
    /// The first argument; the second argument, if the first is null.
    case given

    /// How a call is written, for the finding about a call with a wrong number of arguments.
    var form: String {
        switch self {
        case .left: "left(TIMER)"
        case .spent: "spent(STOPWATCH)"
        case .min: "min(A, B)"
        case .max: "max(A, B)"
        case .abs: "abs(A)"
        case .count: "count(SET), count(TALLY), count(TABLE) or count(TEXT)"
        case .all: "all(CHECKLIST)"
        case .points: "points(TALLY, KEY)"
        case .add: "add(TALLY, KEY, N)"
        case .leaders: "leaders(TALLY)"
        case .top: "top(TALLY)"
        case .rank: "rank(TALLY, KEY)"
        case .text: "text(X)"
        case .find: "find(TABLE, COLUMN, VALUE)"
        case .random: "random(LOW..HIGH)"
        case .pick: "pick(SET)"
        case .shuffle: "shuffle(TABLE)"
        case .given: "given(X, Y)"
        }
    }

    /// The allowed numbers of arguments.
    var argumentCounts: ClosedRange<Int> {
        switch self {
        case .left, .spent, .abs, .count, .all, .leaders, .top, .text, .random, .pick, .shuffle:
            1...1
        case .points, .given, .rank: 2...2
        case .min, .max: 2...16  // an arbitrary limit
        case .add, .find: 3...3
        }
    }
}
