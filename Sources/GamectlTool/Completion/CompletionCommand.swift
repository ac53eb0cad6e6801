import GameFlow
import Shell

/// `gamectl complete -- WORD… WORD`, which the completions of shells run: prints the words that may follow, each in a line, with
/// a note after a tab. The last word is the one that is completed, and may be empty. It is no verb of the help, because nobody
/// types it.
enum CompletionCommand {
    static let name = "complete"

    /// `typed` are the words of the command line that is completed, without the program's name.
    static func run(_ typed: [String], _ flows: [AnyFlow]) {
        for candidate in candidates(typed, flows) {
            let (word, note) = (candidate.word, candidate.note)
            Output.line(
                TerminalSafe.escaped(word) + (note.isEmpty ? "" : "\t\(TerminalSafe.escaped(note))")
            )
        }
    }

    /// The candidates; none if the words before the last one are no command line.
    private static func candidates(_ typed: [String], _ flows: [AnyFlow])
        -> [CompletionWords.Candidate]
    {
        var before = Array(typed.dropLast())
        let option = CommandOption.table.map(\.form).first {
            $0.value != nil && before.last == "--\($0.name)"
        }
        if option != nil { before.removeLast() }
        guard let line = try? LongOptions(before, CommandOption.table.map(\.form)) else {
            return []
        }
        let daemon = DaemonCompletions(line)
        return CompletionWords(
            after: line, typed.last ?? "", valueOf: option?.name, daemon, flows
        ).candidates
    }
}
