/// The limits of a flow file. Each has a name, a value and a sentence: the finding for a file that exceeds the limit.
public enum FlowFileLimit: String, CaseIterable, Sendable {
    /// Limits of a file: its bytes, the depth of its YAML nodes, the number of its YAML nodes, and the number of its findings.
    case bytes, levels, nodes, findings
    /// Limits of one name, text, set or tally (`entries`), or expression. Lengths are in characters.
    case nameLength, textLength, entries, expressionLength, expressionLevels
    /// `rows` limits one list of rows, and `table` all rows of a flow.
    case states, events, timers, effects, settings, data, arguments, rows, table, invariants
    /// The samples of one argument or datum.
    case samples
    /// The tables of a flow; the columns, rows and bytes of one table, and the bytes of all table files together. A table with at
    /// most `shuffledRows` rows can be shuffled.
    case tables, columns, tableRows, tableBytes, tablesBytes, shuffledRows
    /// The languages of a flow's texts.
    case languages

    /// The largest value that is allowed.
    public var maximum: Int {
        switch self {
        case .bytes: 262_144
        case .nodes: 50_000
        case .levels, .expressionLevels, .nameLength, .settings, .arguments, .data: 64
        case .findings: 100
        case .textLength, .expressionLength: 1000
        case .entries, .states, .events, .effects, .invariants: 256
        case .timers: 250  // the number of a timer's signal is a UInt8
        case .rows: 500
        case .table: 5000
        case .samples: 32
        case .tables, .languages: 16
        case .columns: 64
        case .tableRows: 1000
        case .tableBytes: 262_144
        case .tablesBytes: 524_288
        case .shuffledRows: 256
        }
    }

    /// Whether names of this kind stand where a text by language could stand.
    var isOfNamesBesideTexts: Bool {
        switch self {
        case .arguments, .data, .timers, .settings: true
        default: false
        }
    }

    /// The limit as a clause, without the limit's name: "a flow has at most 256 states".
    public var clause: String {
        switch self {
        case .bytes: "the file has more than \(maximum) bytes"
        case .levels: "nested more than \(maximum) levels deep"
        case .nodes: "the file has more than \(maximum) values"
        case .findings: "more than \(maximum) mistakes"
        case .nameLength: "a name has at most \(maximum) characters"
        case .textLength: "a text has at most \(maximum) characters"
        case .entries: "a set or tally has at most \(maximum) entries"
        case .expressionLength: "an expression has at most \(maximum) characters"
        case .expressionLevels: "an expression has at most \(maximum) levels"
        case .states: "a flow has at most \(maximum) states"
        case .events: "a flow has at most \(maximum) events"
        case .timers: "a flow has at most \(maximum) names of timers"
        case .effects: "a flow has at most \(maximum) effects"
        case .settings: "a flow has at most \(maximum) settings"
        case .data: "a state has at most \(maximum) data"
        case .arguments: "an event or effect has at most \(maximum) arguments"
        case .rows: "a list has at most \(maximum) rows"
        case .table:
            "a flow has at most \(maximum) rows; each row of everywhere counts once for each state"
        case .languages: "a flow has at most \(maximum) languages"
        case .invariants: "a flow has at most \(maximum) invariants"
        case .samples: "an argument or datum has at most \(maximum) samples"
        case .tables: "a flow has at most \(maximum) tables"
        case .columns: "a table has at most \(maximum) columns"
        case .tableRows: "a table has at most \(maximum) rows"
        case .tableBytes: "the file has more than \(maximum) bytes"
        case .tablesBytes: "the files of all tables have more than \(maximum) bytes together"
        case .shuffledRows: "a table of more than \(maximum) rows cannot be shuffled"
        }
    }

    /// The sentence of the finding, with the limit's name.
    public var sentence: String { "\(clause) (limit: \(rawValue))" }
}
