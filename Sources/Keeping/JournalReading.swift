public import Journal
public import Sessions
internal import Support
public import Timers

/// Reads a journal from its first row to its last, and knows in the end what there is to go on from.
public struct JournalReading {
    /// Looks at the rows themselves.
    public private(set) var scan: JournalScan
    private var newest: [String: WrittenSession] = [:]
    /// Where the session of a name that is there now began.
    private var began: [String: Int64] = [:]
    private var answers = Deque<SessionRecord>()
    private var daemon = RowMark.start
    /// The daemon's beginnings: where each stands, and what the later ones together did to time.
    private var starts: [(position: Int, at: Instant, lastSign: Instant)] = []
    /// The newest row that is whole, and how many stand behind it that are not.
    private var newestRow: SessionRecord?
    private var damagedSince = 0
    private var newestMark = RowMark.start
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
        if scan.head == row.position { newestMark = row.mark }
        // What is damaged is not believed in anything.
        guard row.isWhole, let record = row.record else {
            damagedSince += 1
            return
        }
        lastRow = max(lastRow, record.at)
        newestRow = record
        damagedSince = 0
        guard record.kind != .daemon else {
            daemon = row.mark
            if case .success(.start(let now, let lastSign)) = Deed.read(record) {
                starts.append((Int(row.position), now, lastSign))
            }
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
        written.pos = (newestRow.flatMap { $0.pos } ?? 0) + damagedSince
        let restarts = restarts
        written.sessions = newest.values.sorted { $0.mark.position < $1.mark.position }
            .map {
                WrittenSession(
                    $0.record, $0.mark, began: $0.began,
                    restarts: restarts[starts(upTo: $0.record.position ?? 0)])
            }
        var left = answers
        while let record = left.removeFirst() {
            let start = began[record.session?.text ?? ""] ?? 0
            if Int64(record.position ?? 0) >= start { written.answers.append(record) }
        }
        written.damaged = scan.untrusted.sorted { $0.key < $1.key }.compactMap { name, why in
            SessionName(name).map { Sessions.Quarantined(session: $0, why: why) }
        }
        return written
    }
}
