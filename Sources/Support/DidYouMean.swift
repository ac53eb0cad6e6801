/// Suggests names for a misspelled word.
public enum DidYouMean {
    /// Up to three of `candidates`: first those that differ from `word` by a few typing errors, the nearest first, then those
    /// that contain `word`, if it has at least three letters. One typing error is allowed for each three letters of the longer
    /// of the two words, at least one and at most three.
    public static func suggest(_ word: String, _ candidates: [String]) -> [String] {
        let word = Array(word.lowercased().utf8.prefix(64))
        let matches = candidates.enumerated().compactMap { index, candidate in
            let name = Array(candidate.lowercased().utf8.prefix(64))
            let distance = distance(word, name)
            let allowed = max(1, min(3, max(word.count, name.count) / 3))
            if distance <= allowed { return (distance, index, candidate) }
            // 64 sorts a candidate after those with typing errors.
            return word.count >= 3 && contains(name, word) ? (64, index, candidate) : nil
        }
        return matches.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.prefix(3).map(\.2)
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

    /// The number of typing errors between two words: letters that are dropped, added, changed or swapped.
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
