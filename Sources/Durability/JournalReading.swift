internal import GameFlow
public import Journal
public import Sessions
internal import Support
public import Timers

/// Reads a journal from the first row to the last, and returns the state from which the daemon
/// continues. Its user passes each row to `add`, and then calls `content`.
public struct JournalReading {
    /// Verifies the rows.
    public private(set) var scan: JournalScan
    /// The rows that are needed to restore each session, by the session's number in the scan.
    private var sessionRows = NewestRows()
    /// The newest rows of requests with an id, at most `answerLimit`. The idempotency cache is filled with their answers.
    private var answers = Deque<JournalRow>()
    /// The position of the daemon's own newest row.
    private var newestDaemonRow = JournalPosition.start
    /// The starts of the daemon.
    private var starts = Starts()
    private let clockCorrections = ClockCorrections()
    /// The rows with the texts of flow files.
    private var texts: [JournalRow] = []
    /// The newest undamaged row.
    private var newestRow: JournalRow?
    /// The number of damaged rows after `newestRow`.
    private var damagedRowsAfterNewest = 0
    /// The position of the newest row whose position can be trusted; the row itself may be damaged.
    private var newestPosition = JournalPosition.start
    /// The positions of the rows of the last hour, by time.
    public private(set) var times = RowTimes()
    /// The latest time of an undamaged row.
    public private(set) var latestTime = Instant.zero
    private let answerLimit: Int

    /// Prepares to read a journal whose rows up to `pruned` were removed. `answerLimit` is the
    /// number of answers to requests with an id that the daemon remembers.
    public init(prunedUpTo pruned: Int, answerLimit: Int) {
        scan = JournalScan(prunedUpTo: pruned)
        self.answerLimit = answerLimit
    }

    /// Reads the next row. Starts of the daemon are decoded here. Of all other rows, `content()` decodes only those that are
    /// needed.
    public mutating func add(_ row: JournalRow) {
        let number = scan.add(row)
        // If a damaged row is out of sequence, its position may be damaged too: then the scan keeps the previous position.
        if scan.newestPosition == row.position { newestPosition = row.journalPosition }
        // Of a row that is damaged or cannot be read, only the position is used.
        guard row.hasValidChecksum, row.isReadable else {
            damagedRowsAfterNewest += 1
            return
        }
        latestTime = max(latestTime, Instant(nanoseconds: row.atNs))
        times.add(row.position, at: Instant(nanoseconds: row.atNs))
        newestRow = row
        damagedRowsAfterNewest = 0
        // The rows of each session, and the daemon's own rows, have a number. A row that records an erasure has none.
        guard let number else { return }
        guard row.kind != .daemon else {
            newestDaemonRow = row.journalPosition
            switch try? row.record().body {
            case .start(let start): starts.add(row.position, start)
            case .clock(let correction):
                clockCorrections.add(correction, from: Instant(nanoseconds: row.atNs))
            default: break
            }
            if row.seq == SessionRecord.textSeq { texts.append(row) }
            return
        }
        sessionRows.add(row, number)
        guard row.id != nil else { return }
        answers.append(row)
        if answers.count > answerLimit { _ = answers.removeFirst() }
    }

    /// The position of the first row of the present session of that name; 0 if unknown.
    private func firstPosition(of session: String) -> Int {
        scan.number(of: session).map { sessionRows.firstPosition(of: $0) } ?? 0
    }

    /// The state from which the daemon continues.
    public func content() -> Sessions.JournalContent {
        var content = Sessions.JournalContent()
        (content.daemon, content.newest) = (newestDaemonRow, newestPosition)
        // The newest row contains the `pos` of the newest change. Each damaged row after the newest row may have been a change.
        content.pos = ((try? newestRow?.record().pos) ?? 0) + damagedRowsAfterNewest
        content.damaged = scan.untrusted.sorted { $0.key < $1.key }.compactMap { name, why in
            SessionName(name).map { Sessions.QuarantineError(session: $0, why: why) }
        }
        content.starts = starts
        content.clockCorrections = clockCorrections
        for row in texts {
            guard case .flowText(let name, let source) = try? row.record().body else { continue }
            content.flowTexts.append((name, source))
        }
        content.sessions = JournalSessions(sessionRows, scan)
        var reader = RecordReader()
        var remaining = answers
        while let row = remaining.removeFirst() {
            guard let record = try? reader.record(row.head, row.body.span) else { continue }
            // For an earlier session of the same name, only the reply to its closing is remembered.
            let isOfPresentSession = row.position >= firstPosition(of: row.session)
            guard isOfPresentSession || record.isClosing else { continue }
            content.answers.append(record)
        }
        return content
    }
}
