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
    /// The daemon's beginnings: the position of each, and what the later ones together did to time.
    private var starts: [(position: Int, at: Instant, lastSign: Instant)] = []
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
                starts.append((row.position, start.now, start.lastSign))
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

    /// What the beginnings from each on did to time.
    private var restarts: [WrittenSession.Restarts] {
        var sums = [WrittenSession.Restarts()]
        for start in starts.reversed() {
            var sum = sums[sums.count - 1]
            sum.add(at: start.at, lastSign: start.lastSign)
            sum.last = starts.last?.at
            sums.append(sum)
        }
        return sums.reversed()
    }

    /// The number of beginnings up to a position.
    private func starts(upTo position: Int) -> Int {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low
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
        let restarts = restarts
        for (row, mark) in newest.values.sorted(by: { $0.mark.position < $1.mark.position }) {
            do throws(UnreadableRow) {
                written.sessions.append(
                    WrittenSession(
                        try row.record(), mark, began: began[row.session] ?? 0,
                        restarts: restarts[starts(upTo: row.position)]))
            } catch {
                guard scan.untrusted[row.session] == nil, let name = SessionName(row.session)
                else { continue }
                written.damaged.append(Sessions.Quarantined(session: name, why: error.why))
            }
        }
        var left = answers
        while let row = left.removeFirst() {
            guard row.position >= began[row.session] ?? 0 else { continue }
            if let record = try? row.record() { written.answers.append(record) }
        }
        return written
    }
}
