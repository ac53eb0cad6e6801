import GameFlow
import Journal
import Timers

/// From when to when rows are; those that are damaged do not know.
struct Span {
    private(set) var first: Instant?
    private(set) var last = Instant.zero

    mutating func take(_ row: JournalRow) {
        guard row.isWhole else { return }
        let at = Instant(nanoseconds: row.atNs)
        if first == nil { first = at }
        last = max(last, at)
    }

    /// `0:00:00.000 to 0:01:30.000 (1:30)`; nil where there are none.
    func words(_ journal: OpenJournal) -> String? {
        guard let first else { return nil }
        let length = ClockText.length(Int((last - first).milliseconds))
        return "\(journal.time(first)) to \(journal.time(last)) (\(length))"
    }

    var json: [Member] {
        guard let first else { return [] }
        return [
            Member("fromMs", Int(first.milliseconds)), Member("toMs", Int(last.milliseconds)),
        ]
    }
}
