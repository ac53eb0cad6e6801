internal import GameFlow
public import Journal
public import Sessions
internal import Support
public import Timers

/// Reads a journal from its first row to its last, and knows in the end what there is to go on from.
public struct JournalReading {
    /// Looks at the rows themselves.
    public private(set) var scan: JournalScan
    /// Of each name the newest row that says how its session is, and the mark of its newest row of all.
    private var newest: [String: (row: JournalRow, mark: RowMark)] = [:]
    /// The position at which the session of a name that is there now began.
    private var began: [String: Int] = [:]
    private var answers = Deque<JournalRow>()
    private var daemon = RowMark.start
    /// The daemon's starts.
    private var starts = Starts()
    /// The newest row that is whole, and how many are behind it that are not.
    private var newestRow: JournalRow?
    private var damagedSince = 0
    private var newestMark = RowMark.start
    /// When the newest row was written.
    public private(set) var lastRow = Instant.zero
    private let answerLimit: Int

    /// Of a journal of which rows were removed up to a position. As many answers are remembered as a daemon
    /// does.
    public init(pruned: Int, answers limit: Int) {
        scan = JournalScan(pruned: pruned)
        answerLimit = limit
    }

    /// The next row. Only those that matter in the end are read as a whole, and then.
    public mutating func take(_ row: JournalRow) {
        scan.take(row)
        if scan.head == row.position { newestMark = row.mark }
        // What is damaged is not believed in anything.
        guard row.isWhole, row.mayBeRead else {
            damagedSince += 1
            return
        }
        lastRow = max(lastRow, Instant(nanoseconds: row.atNs))
        newestRow = row
        damagedSince = 0
        if row.kind == .forgotten { return }
        guard row.kind != .daemon else {
            daemon = row.mark
            if case .start(let start) = try? row.record().body {
                starts.add(row.position, at: start.now, lastSign: start.lastSign)
            }
            return
        }
        if row.previous == .start { began[row.session] = row.position }
        let before = newest[row.session]?.row
        newest[row.session] = (row.kind == .refusal ? before ?? row : row, row.mark)
        guard row.id != nil else { return }
        answers.append(row)
        if answers.count > answerLimit { _ = answers.removeFirst() }
    }

    /// What there is to go on from.
    public func written() -> Sessions.Written {
        var written = Sessions.Written()
        (written.daemon, written.newest) = (daemon, newestMark)
        // Every row says how many changes there were by then.
        written.pos = ((try? newestRow?.record().pos) ?? 0) + damagedSince
        written.damaged = scan.untrusted.sorted { $0.key < $1.key }.compactMap { name, why in
            SessionName(name).map { Sessions.Quarantined(session: $0, why: why) }
        }
        written.starts = starts
        for (row, mark) in newest.values.sorted(by: { $0.mark.position < $1.mark.position }) {
            do throws(UnreadableRow) {
                written.sessions.append(
                    WrittenSession(
                        try row.record(), mark, began: began[row.session] ?? 0))
            } catch {
                guard scan.untrusted[row.session] == nil, let name = SessionName(row.session)
                else { continue }
                written.damaged.append(Sessions.Quarantined(session: name, why: error.why))
            }
        }
        var left = answers
        while let row = left.removeFirst() {
            guard let record = try? row.record() else { continue }
            // Of an earlier session of that name only the answer to its closing is remembered.
            let isPresent = row.position >= began[row.session] ?? 0
            guard isPresent || record.step?.step.kind == .close else { continue }
            written.answers.append(record)
        }
        return written
    }
}
