/// Finds what was meant by a word that is none.
public enum DidYouMean {
    /// Up to three of `candidates` that differ from `word` by a slip or two, the nearest first.
    public static func suggest(_ word: String, _ candidates: [String]) -> [String] {
        let word = Array(word.lowercased().utf8.prefix(64))
        let near = candidates.enumerated().compactMap { place, candidate in
            let distance = distance(word, Array(candidate.lowercased().utf8.prefix(64)))
            let allowed = max(1, min(3, max(word.count, candidate.utf8.count) / 3))
            return distance <= allowed ? (distance, place, candidate) : nil
        }
        return near.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.prefix(3).map(\.2)
    }

    /// How many letters were dropped, added, changed or swapped with a neighbour.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    best = min(best, before[j - 1] + 1)
                }
                row.append(best)
            }
            (before, last) = (last, row)
        }
        return last[b.count]
    }
}
