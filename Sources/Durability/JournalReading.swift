internal import GameFlow
public import Journal
public import Sessions
internal import Support
public import Timers

/// Reads a journal from its first row to its last, and knows in the end what there is to go on from.
public struct JournalReading {
    /// Looks at the rows themselves.
    public private(set) var scan: JournalScan
    /// What is needed of the sessions, by their numbers in the scan.
    private var newest = NewestRows()
    private var answers = Deque<JournalRow>()
    private var daemon = JournalPosition.start
    /// The daemon's starts.
    private var starts = Starts()
    /// The newest row that is whole, and how many are behind it that are not.
    private var newestRow: JournalRow?
    private var damagedSince = 0
    private var newestMark = JournalPosition.start
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
        let number = scan.take(row)
        if scan.head == row.position { newestMark = row.mark }
        // What is damaged is not believed in anything.
        guard row.isWhole, row.mayBeRead else {
            damagedSince += 1
            return
        }
        lastRow = max(lastRow, Instant(nanoseconds: row.atNs))
        newestRow = row
        damagedSince = 0
        guard let number else { return }
        guard row.kind != .daemon else {
            daemon = row.mark
            if case .start(let start) = try? row.record().body {
                starts.add(row.position, at: start.now, lastSign: start.lastSign)
            }
            return
        }
        newest.note(row, number)
        guard row.id != nil else { return }
        answers.append(row)
        if answers.count > answerLimit { _ = answers.removeFirst() }
    }

    private func began(_ session: String) -> Int {
        scan.number(of: session).map { newest.began($0) } ?? 0
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
        written.sessions = sessions
        var reader = RecordReader()
        var left = answers
        while let row = left.removeFirst() {
            guard let record = try? reader.record(row.head, row.body.span) else { continue }
            // Of an earlier session of that name only the answer to its closing is remembered.
            let isPresent = row.position >= began(row.session)
            guard isPresent || record.step?.step.kind == .close else { continue }
            written.answers.append(record)
        }
        return written
    }

    /// The sessions, in the order of their newest rows, each of which is read when its turn comes.
    private var sessions: WrittenSessions {
        var (newest, names) = (newest, scan.names)
        var numbers = newest.inOrder
        return WrittenSessions(count: numbers.count) { take, unread in
            newest.handOut(numbers, names, take) { name, error in
                guard let name = SessionName(name) else { return }
                unread(Sessions.Quarantined(session: name, why: error.why))
            }
            (newest, names, numbers) = (NewestRows(), ChunkedArray(), [])
        }
    }
}
