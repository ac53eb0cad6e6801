/// Suggests names for a misspelled word.
public enum DidYouMean {
    /// At most this many bytes of each word are compared, because the time of a comparison grows with the product of the two
    /// lengths.
    private static let comparedBytes = 64
    /// Stands for the number of typing errors of a candidate that only contains the word. It exceeds every allowed number of
    /// typing errors, so these candidates are sorted last.
    private static let containmentRank = 64

    /// Returns up to three of `candidates`. First come the candidates that differ from `word` by a few typing errors, sorted by
    /// the number of errors. If `word` has at least three letters, the candidates that contain `word` follow. The number of
    /// allowed typing errors is a third of the length of the longer word, but at least one and at most three.
    public static func suggest(_ word: String, _ candidates: [String]) -> [String] {
        let word = Array(word.lowercased().utf8.prefix(comparedBytes))
        let matches = candidates.enumerated().compactMap {
            index, candidate -> (rank: Int, index: Int, candidate: String)? in
            let name = Array(candidate.lowercased().utf8.prefix(comparedBytes))
            let distance = distance(word, name)
            let allowed = max(1, min(3, max(word.count, name.count) / 3))
            if distance <= allowed {
                return (rank: distance, index: index, candidate: candidate)
            }
            return word.count >= 3 && contains(name, word)
                ? (rank: containmentRank, index: index, candidate: candidate) : nil
        }
        return matches.sorted { ($0.rank, $0.index) < ($1.rank, $1.index) }
            .prefix(3).map(\.candidate)
    }

    private static func contains(_ name: [UInt8], _ part: [UInt8]) -> Bool {
        name.count >= part.count
            && (0...name.count - part.count).contains { name[$0...].starts(with: part) }
    }

    /// The suggestions as a question; nil without suggestions.
    public static func question(_ word: String, _ candidates: [String]) -> String? {
        let suggestions = suggest(word, candidates)
        return suggestions.isEmpty
            ? nil : "did you mean \(suggestions.joined(separator: " or "))?"
    }

    /// The suggestions as a question; without suggestions, a list of all names.
    public static func hint(_ word: String, _ names: [String]) -> String {
        question(word, names) ?? "expected one of \(names.joined(separator: ", "))"
    }

    /// The number of typing errors between two words: letters that are dropped, added, changed or swapped. `a` and `b`
    /// are the UTF-8 bytes of the words.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var rowBeforeLast: [Int] = []
        var lastRow = Array(0...b.count)
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var best = min(lastRow[j + 1] + 1, row[j] + 1, lastRow[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    best = min(best, rowBeforeLast[j - 1] + 1)
                }
                row.append(best)
            }
            (rowBeforeLast, lastRow) = (lastRow, row)
        }
        return lastRow[b.count]
    }
}
