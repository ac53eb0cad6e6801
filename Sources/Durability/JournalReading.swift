internal import GameFlow
public import Journal
public import Sessions
internal import Support
public import Timers

/// Reads a journal from its first row to its last, and knows in the end what there is to go on from.
public struct JournalReading {
    /// Looks at the rows themselves.
    public private(set) var scan: JournalScan
    /// What is needed of the sessions, by their numbers in the scan; nil of one that has no row that is whole.
    private var newest: [Newest?] = []
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

    /// What is needed of a session to go on with it.
    private struct Newest {
        /// The newest row that says how the session is, and the mark of its newest row of all.
        var row: JournalRow
        var mark: RowMark
        /// The position at which the session of that name that is there now began.
        var began: Int
    }

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
        note(row, number)
        guard row.id != nil else { return }
        answers.append(row)
        if answers.count > answerLimit { _ = answers.removeFirst() }
    }

    private mutating func note(_ row: JournalRow, _ number: Int) {
        while newest.count <= number { newest.append(nil) }
        let began = row.previous == .start ? row.position : nil
        guard newest[number] != nil else {
            newest[number] = Newest(row: row, mark: row.mark, began: began ?? 0)
            return
        }
        if row.kind != .refusal { newest[number]?.row = row }
        newest[number]?.mark = row.mark
        if let began { newest[number]?.began = began }
    }

    /// The sessions' numbers in the order of their newest rows.
    private var inOrder: [Int] {
        let places = newest.indices.compactMap { number in
            newest[number].map { (position: $0.mark.position, number: number) }
        }
        return places.sorted { $0.position < $1.position }.map(\.number)
    }

    private func began(_ session: String) -> Int {
        guard let number = scan.number(of: session), number < newest.count else { return 0 }
        return newest[number]?.began ?? 0
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
        written.sessions.reserveCapacity(newest.count)
        for number in inOrder {
            guard let newest = newest[number] else { continue }
            let row = newest.row
            do throws(UnreadableRow) {
                written.sessions.append(
                    WrittenSession(try row.record(), newest.mark, began: newest.began))
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
            let isPresent = row.position >= began(row.session)
            guard isPresent || record.step?.step.kind == .close else { continue }
            written.answers.append(record)
        }
        return written
    }
}
