import Parts

/// The counts of all lines that send outputs, and those of removed lines: a counter must not fall.
struct OutputCounts {
    /// By the line's fingerprint, a hash of its text.
    private var lines: [UInt64: OutputStatistics] = [:]
    /// By the name of the target.
    private var removed: [String: OutputStatistics] = [:]

    /// The counts of a line; nil if it sends no outputs.
    subscript(line: UInt64) -> OutputStatistics? {
        get { lines[line] }
        _modify { yield &lines[line] }
    }

    /// Counts for these lines from now on. Lines that were there before keep their counts. `targets` are the names of the targets
    /// of the lines before.
    mutating func replace(with newLines: [OutputLine], targets: [UInt64: String]) {
        let kept = Set(newLines.map(\.fingerprint))
        for (fingerprint, counts) in lines where !kept.contains(fingerprint) {
            removed[targets[fingerprint] ?? Self.otherTarget, default: OutputStatistics()]
                .addCounts(of: counts)
        }
        lines = Dictionary(
            uniqueKeysWithValues: newLines.map {
                ($0.fingerprint, lines[$0.fingerprint] ?? OutputStatistics())
            })
    }

    /// Adds the counts of each target.
    func write(_ targets: [UInt64: String], to page: inout MetricsPage) {
        var totals = removed
        for (fingerprint, target) in targets {
            totals[target, default: OutputStatistics()]
                .addCounts(of: lines[fingerprint] ?? OutputStatistics())
        }
        for (target, counts) in totals {
            page.add(.outputs, [target, "delivered"], counts.delivered)
            page.add(.outputs, [target, "given_up"], counts.givenUp)
            page.add(.outputs, [target, "withheld"], counts.withheld)
        }
    }

    /// The name of the target of a line that is not known any more.
    static let otherTarget = "other"
}
