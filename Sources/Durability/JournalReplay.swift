public import GameFlow
public import Journal
public import Sessions
internal import Support
internal import Timers

/// Runs a journal again: what was sent is sent again, timers fire by themselves, and all that comes of it is
/// held against what was written down then.
public final class JournalReplay {
    /// The first thing that does not come about as it did.
    public struct Difference: Equatable, Sendable {
        public let position: Int
        public let session: String
        public let why: String
        /// What was written down, and what comes of it now, as far as there is something.
        public let then: SessionRecord?
        public let now: SessionRecord?
    }

    /// What there was so far.
    public struct Tally: Equatable, Sendable {
        /// How many rows were run, and how often the daemon began and a timer fired.
        public var (rows, starts, firings) = (0, 0, 0)
        /// How many rows were erased, and so were not run.
        public var forgotten = 0
    }

    private let driver: ReplayDriver
    /// The positions of rows that were erased, and that are still to come.
    private var erased: ArraySlice<Int>
    /// How many were erased between those that were run, of which no numbers were left out yet.
    private var gap = 0
    /// What has come about and was not compared yet.
    private var derived = Deque<SessionRecord>()
    /// How many changes came about as they did.
    public private(set) var changes = 0
    public private(set) var tally = Tally()
    /// Looks at the rows themselves.
    public var scan: JournalScan { driver.reading.scan }

    /// A replay of a journal of which rows were removed up to a position, and erased at others, in order.
    public init(_ flows: [AnyFlow], pruned: Int = 0, erased: [Int] = []) {
        self.erased = erased[...]
        driver = ReplayDriver(flows, pruned: pruned, written: pruned)
        driver.recorder = { [unowned self] record, previous in
            derived.append(record)
            return JournalPosition(position: previous.position + 1, checksum: 0)
        }
    }

    // MARK: rows

    /// The next row; nil if all that belongs to it came about as it did.
    public func take(_ row: JournalRow) -> Difference? {
        while let next = erased.first, next < row.position {
            gap += 1
            erased.removeFirst()
        }
        var isRead = false
        defer { if !isRead { driver.reading.take(row) } }
        tally.rows += 1
        // Nothing is restored from what came about: without this, all of it would be kept in memory.
        defer { driver.sessions.settle(upTo: .max) }
        // Its time alone, were it far away, would have timers beat for years.
        if let flaw = row.flaw { return unread(row, flaw) }
        guard row.mayBeRead else { return nil }
        let (record, deed): (SessionRecord, JournalCommand)
        do throws(UnreadableRow) {
            record = try row.record()
            deed = try JournalCommand(record)
        } catch { return unread(row, error.why) }
        if needsTakingUp(record.session, deed, row) {
            driver.reading.take(row)
            isRead = true
            _ = driver.restart(at: record.at, lastSign: record.at, isMeanwhile: true)
            return nil
        }
        switch deed {
        case .consequence: return compare(record)
        case .forgotten(let count): tally.forgotten += count
        case .firing: tally.firings += 1
        default: break
        }
        if let extra = derived.removeFirst() {
            return difference(record, "something came about that did not then", extra)
        }
        skipNumbers(before: record)
        return driver.run(deed, record, self)
    }

    /// Where rows were erased, the numbers of their changes are left out.
    private func skipNumbers(before record: SessionRecord) {
        let last = record.kind == .change ? record.pos - 1 : record.pos
        let skipped = last - driver.sessions.pos
        guard record.session != nil, skipped > 0, skipped <= gap else { return }
        driver.sessions.skipNumbers(upTo: last)
        gap -= skipped
    }

    /// After the last row; nil if nothing has come about that was not written down.
    public func finish() -> Difference? {
        derived.removeFirst().map {
            Difference(
                position: scan.head, session: $0.session?.text ?? "",
                why: "something came about that did not then", then: nil, now: $0)
        }
    }

    /// Whether a session begins with a row in its middle.
    private func needsTakingUp(_ name: SessionName?, _ deed: JournalCommand, _ row: JournalRow)
        -> Bool
    {
        if case .open = deed { return false }
        guard let name, (try? driver.sessions.session(name)) == nil else { return false }
        return driver.beginsInMiddle(with: row)
    }

    private func unread(_ row: JournalRow, _ why: String) -> Difference {
        Difference(position: row.position, session: row.session, why: why, then: nil, now: nil)
    }

    private func difference(_ record: SessionRecord, _ why: String, _ now: SessionRecord? = nil)
        -> Difference
    {
        Difference(
            position: record.position ?? 0, session: record.session?.text ?? "", why: why,
            then: record, now: now)
    }
}

/// Each record that comes about has to be the one that was written down.
extension JournalReplay: ReplayPolicy {
    func start(at now: Instant, lastSign: Instant) -> Difference? {
        tally.starts += 1
        _ = driver.restart(at: now, lastSign: lastSign)
        return nil
    }

    /// Only beats have no rows.
    func timerFired(before record: SessionRecord) -> Difference? {
        derived.removeFirst().map {
            difference(record, "a timer fired before it that did not then", $0)
        }
    }

    func hasSameDeadline(_ signal: String, _ record: SessionRecord) -> Bool { true }

    func timerIsNotDue(_ signal: String, _ record: SessionRecord) -> Difference? {
        difference(record, "the timer \(signal) is not due then")
    }

    func willPerform(_ record: SessionRecord) -> Difference? { nil }

    func refused(_ error: RequestError, _ record: SessionRecord) -> Difference? {
        difference(record, "it is refused now: \(error.name)")
    }

    func compare(_ record: SessionRecord) -> Difference? {
        guard let now = derived.removeFirst() else {
            return difference(record, "it does not come about")
        }
        guard record.isRepeated(by: now) else {
            return difference(record, "it comes about otherwise", now)
        }
        changes += 1
        return nil
    }

    func nothingCameAbout(_ deed: JournalCommand, _ record: SessionRecord) -> Difference? { nil }
}
