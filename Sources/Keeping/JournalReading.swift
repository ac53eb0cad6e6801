public import Journal
public import Sessions
public import Timers

/// Reads a journal from its first row to its last, and knows in the end what there is to go on from.
public struct JournalReading {
    /// Looks at the rows themselves.
    public private(set) var scan: JournalScan
    private var newest: [String: WrittenSession] = [:]
    /// Where the session of a name that is there now began.
    private var began: [String: Int64] = [:]
    private var answers = FIFO<SessionRecord>()
    private var daemon = RowMark.start
    /// When the newest row was written.
    public private(set) var lastRow = Instant.zero
    private let answerLimit: Int

    /// Of a journal of which rows were removed up to a position. As many answers are remembered as a daemon
    /// does.
    public init(pruned: Int64, answers limit: Int) {
        scan = JournalScan(pruned: pruned)
        answerLimit = limit
    }

    /// The next row.
    public mutating func take(_ row: JournalRow) {
        scan.take(row)
        // What is damaged is not believed in anything.
        guard row.isWhole, let record = row.record else { return }
        lastRow = max(lastRow, record.at)
        guard record.kind != .daemon else {
            daemon = row.mark
            return
        }
        if row.previous == .start { began[row.session] = row.position }
        let before = newest[row.session]?.record
        let state = record.kind == .refusal ? before ?? record : record
        newest[row.session] = WrittenSession(
            state, row.mark, began: Int(began[row.session] ?? 0))
        guard record.id != nil else { return }
        answers.append(record)
        if answers.count > answerLimit { _ = answers.removeFirst() }
    }

    /// What there is to go on from.
    public func written() -> Sessions.Written {
        var written = Sessions.Written()
        written.sessions = newest.values.sorted { $0.mark.position < $1.mark.position }
        var left = answers
        while let record = left.removeFirst() {
            let start = began[record.session?.text ?? ""] ?? 0
            if Int64(record.position ?? 0) >= start { written.answers.append(record) }
        }
        written.damaged = scan.untrusted.sorted { $0.key < $1.key }.compactMap { name, why in
            SessionName(name).map { Sessions.Quarantined(session: $0, why: why) }
        }
        written.daemon = daemon
        written.newest = Int(scan.head)
        return written
    }
}
