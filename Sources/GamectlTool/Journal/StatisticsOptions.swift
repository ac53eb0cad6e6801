import GameFlow
import RPC
import Support
import Timers

/// The words of `journal stats JOURNAL [since=WHEN] [without=LABEL] [FLOW]`.
struct StatisticsOptions: Equatable {
    /// A state directory, a backup or the URL of a database.
    let path: String
    /// The name of the flow whose games are counted; nil for all flows.
    private(set) var flow: String?
    /// The value of `since=`: an instant or a duration, as text; nil if it is not given. Older games are not counted.
    private(set) var since: String?
    /// The value of `without=`: sessions with this label are not counted; nil if it is not given.
    private(set) var without: String?

    /// Reads the words after `journal stats`.
    init(_ words: ArraySlice<String>) throws(CommandError) {
        var positional: [String] = []
        for word in words {
            let (key, value) = Self.pair(word)
            switch key {
            case "since": since = try Self.once(since, key, value)
            case "without": without = try Self.once(without, key, value)
            // The path or URL may contain `=`.
            default: positional.append(word)
            }
        }
        guard let path = positional.first, !path.isEmpty else {
            throw .usage("journal stats: a state directory or backup is missing")
        }
        guard positional.count <= 2 else {
            throw .usage("journal stats: name one journal, and at most one flow")
        }
        self.path = path
        flow = positional.dropFirst().first
        if let since, InstantText.read(since, before: .last, on: CivilClock(.system)) == nil,
            Int(since).flatMap(InstantText.read(milliseconds:)) == nil
        {
            throw .usage(
                "since=\(TerminalSafe.escaped(since)): expected \(InstantText.expectedForm)")
        }
        if let without, !NoteLimits.isLabelName(without) {
            throw .usage("without=\(TerminalSafe.escaped(without)): \(NoteLimits.labelNameRule)")
        }
    }

    /// Divides a word at its first `=`. The key is empty if the word has no `=`.
    private static func pair(_ word: String) -> (key: String, value: String) {
        guard let equalsSign = word.firstIndex(of: "=") else { return ("", word) }
        return (String(word[..<equalsSign]), String(word[word.index(after: equalsSign)...]))
    }

    /// Returns `value`. Throws if the key was given before with the value `earlierValue`.
    private static func once(_ earlierValue: String?, _ key: String, _ value: String)
        throws(CommandError) -> String
    {
        guard earlierValue == nil else { throw .usage("\(key)= is given twice") }
        return value
    }
}
