import GameFlow
import Shell

/// How far `lint`, `races` and `paths` search: the options `--moves` and `--complete`.
struct SearchEffort: Equatable {
    /// The greatest number of moves; nil for the default of the verb.
    var moves: Int?
    /// Whether it is an error if something was not searched.
    var mustBeComplete = false

    /// The verbs that have these options.
    static let verbs = ["lint", "races", "paths"]

    /// The default numbers of moves, for the help.
    static let defaults: String = {
        let lint = SearchLimit.lintMoves.maximum
        return "\(lint), for `races` \(SearchLimit.racesMoves.maximum)"
    }()

    init() {}

    /// Reads the options of a command line.
    init(_ line: LongOptions) throws(CommandError) {
        mustBeComplete = line.has("complete")
        guard let text = line.value("moves") else { return }
        if text == "all" {
            moves = .max
        } else if let number = Int(text), number > 0 {
            moves = number
        } else {
            throw .usage(
                "--moves \(TerminalSafe.escaped(text)): expected a number of moves, or all")
        }
    }

    /// The greatest number of moves, which is `limit` by default.
    func moves(_ limit: SearchLimit) -> Int { moves ?? limit.maximum }

    /// Throws if something was not searched and `--complete` is given.
    func check(isComplete: Bool) throws(CommandError) {
        guard mustBeComplete, !isComplete else { return }
        throw .check("something was not searched; --moves N searches further")
    }
}
