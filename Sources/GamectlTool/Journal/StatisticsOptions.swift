import GameFlow
import RPC
import Support
import Timers

/// The words of `journal stats JOURNAL [since=WHEN] [without=LABEL] [FLOW]`.
struct StatisticsOptions: Equatable {
    let path: String
    private(set) var flow: String?
    private(set) var since: String?
    private(set) var without: String?

    init(_ words: ArraySlice<String>) throws(CommandError) {
        var bare: [String] = []
        for word in words {
            let (key, value) = Self.pair(word)
            switch key {
            case "since": since = try Self.once(since, key, value)
            case "without": without = try Self.once(without, key, value)
            default: bare.append(word)
            }
        }
        guard let path = bare.first, !path.isEmpty else {
            throw .usage("journal stats: a state directory or backup is missing")
        }
        guard bare.count <= 2 else {
            throw .usage("journal stats: name one journal, and at most one flow")
        }
        self.path = path
        flow = bare.dropFirst().first
        if let since, InstantText.read(since, before: .last) == nil,
            Int(since).flatMap(InstantText.read(milliseconds:)) == nil
        {
            throw .usage(
                "since=\(TerminalSafe.escaped(since)): expected \(InstantText.expectedForm)")
        }
        if let without, !NoteLimits.isLabelName(without) {
            throw .usage("without=\(TerminalSafe.escaped(without)): \(NoteLimits.labelNameRule)")
        }
    }

    private static func pair(_ word: String) -> (key: String, value: String) {
        guard let sign = word.firstIndex(of: "=") else { return ("", word) }
        return (String(word[..<sign]), String(word[word.index(after: sign)...]))
    }

    private static func once(_ known: String?, _ key: String, _ value: String)
        throws(CommandError) -> String
    {
        guard known == nil else { throw .usage("\(key)= is given twice") }
        return value
    }
}
