/// What an expression reads. From this, the searches (lint, races and paths) know which data and arguments can decide what
/// happens.
struct ExpressionReads {
    /// How often the expression reads each argument of the event, by the argument's index.
    private(set) var arguments: [Int: Int] = [:]
    /// How many of these reads only compare the argument with a value that is one of its samples.
    private(set) var comparedArguments: [Int: Int] = [:]
    /// The indices of the data that the expression reads.
    private(set) var data: Set<Int> = []
    /// Whether the expression reads the remaining time of a timer.
    var timers = false
    /// What is read to choose a row of a table or a place of an order, for each choice. If there is no such row, the event is
    /// refused.
    private(set) var choicesOfRows: [ExpressionReads] = []

    mutating func add(_ slot: ExpressionScope.Slot) {
        switch slot {
        case .argument(let index): arguments[index, default: 0] += 1
        case .datum(let index): data.insert(index)
        case .setting: break
        }
    }

    /// Records that one of the reads of an argument is a comparison with a sample.
    mutating func addComparison(ofArgument index: Int) {
        comparedArguments[index, default: 0] += 1
    }

    /// Adds what is read to choose a row of a table or a place of an order.
    mutating func add(choosingRow reads: ExpressionReads) {
        add(reads)
        choicesOfRows.append(reads)
    }

    mutating func add(_ other: ExpressionReads) {
        choicesOfRows += other.choicesOfRows
        arguments.merge(other.arguments, uniquingKeysWith: +)
        comparedArguments.merge(other.comparedArguments, uniquingKeysWith: +)
        data.formUnion(other.data)
        timers = timers || other.timers
    }
}
