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

    private let flows: [AnyFlow]
    private let pruned: Int
    private var time = ReplayClock()
    private var sessions: Sessions
    /// What was written down so far: a restart takes it up.
    private var reading: JournalReading
    /// The positions of rows that were erased, and that are still to come.
    private var erased: ArraySlice<Int>
    /// How many were erased between those that were run, of which no numbers were left out yet.
    private var gap = 0
    /// What has come about and was not held against anything yet.
    private var derived = Deque<SessionRecord>()
    /// Sessions of which nothing is left so far but what they refused.
    private var headless: Set<SessionName> = []
    /// Whether the clock stopped in the middle of what was due.
    private var isCutShort = false
    /// How many changes came about as they did.
    public private(set) var changes = 0
    public private(set) var tally = Tally()
    /// Looks at the rows themselves.
    public var scan: JournalScan { reading.scan }

    /// A replay of a journal of which rows were removed up to a position, and erased at others, in order.
    public init(_ flows: [AnyFlow], pruned: Int = 0, erased: [Int] = []) {
        self.erased = erased[...]
        (self.flows, self.pruned) = (flows, pruned)
        sessions = Sessions(flows, on: time)
        reading = JournalReading(pruned: pruned, answers: sessions.limits.ids)
        listen()
    }

    private func listen() {
        sessions.recorder = { [unowned self] record, previous in
            derived.append(record)
            return RowMark(position: previous.position + 1, checksum: 0)
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
        defer { if !isRead { reading.take(row) } }
        tally.rows += 1
        // Nobody goes on from what happened: without this, all of it would be kept at hand.
        defer { sessions.settle(upTo: .max) }
        // Its time alone, were it far away, would have timers beat for years.
        if let flaw = row.flaw {
            return Difference(
                position: row.position, session: row.session, why: flaw, then: nil, now: nil)
        }
        guard row.mayBeRead else { return nil }
        let (record, deed): (SessionRecord, Deed)
        do throws(UnreadableRow) {
            record = try row.record()
            deed = try Deed(record)
        } catch {
            return Difference(
                position: row.position, session: row.session, why: error.why, then: nil, now: nil)
        }
        if let name = record.session, needsTakingUp(name, deed, row) {
            reading.take(row)
            isRead = true
            restart(at: record.at, lastSign: record.at, isMeanwhile: true)
            return nil
        }
        if case .consequence = deed { return compare(record) }
        if let extra = derived.removeFirst() {
            return difference(record, "something came about that did not then", extra)
        }
        skipNumbers(before: record)
        return run(deed, record)
    }

    /// Where rows were erased, the numbers of their changes are left out.
    private func skipNumbers(before record: SessionRecord) {
        let last = record.kind == .change ? record.pos - 1 : record.pos
        let skipped = last - sessions.pos
        guard record.session != nil, skipped > 0, skipped <= gap else { return }
        sessions.skipNumbers(upTo: last)
        gap -= skipped
    }

    /// After the last row; nil if nothing has come about that was not written down.
    public func finish() -> Difference? {
        derived.removeFirst().map {
            Difference(
                position: reading.scan.head, session: $0.session?.text ?? "",
                why: "something came about that did not then", then: nil, now: $0)
        }
    }

    /// Of a session whose first rows were removed, the first that is left is where it begins. What was
    /// refused says nothing of the session: then it is the one behind.
    private func needsTakingUp(_ name: SessionName, _ deed: Deed, _ row: JournalRow) -> Bool {
        if case .open = deed { return false }
        let isCut = row.previous != .start && row.previous.position <= pruned
        guard isCut || headless.contains(name), (try? sessions.session(name)) == nil else {
            return false
        }
        if case .refusal = deed {
            headless.insert(name)
            return false
        }
        headless.remove(name)
        return true
    }

    private func run(_ deed: Deed, _ record: SessionRecord) -> Difference? {
        switch deed {
        case .start(let now, let lastSign):
            tally.starts += 1
            restart(at: now, lastSign: lastSign)
            return nil
        case .advance(let now, let isCutShort):
            self.isCutShort = isCutShort
            return beat(until: now, record)
        case .refusal, .givenUp, .consequence: return nil
        case .forgotten(let count):
            tally.forgotten += count
            return nil
        case .firing(let signal, let missed):
            tally.firings += 1
            return fire(signal, missed, record) ?? compare(record)
        case .open, .close, .send, .goto, .operate:
            return beat(until: record.at, record) ?? perform(deed, record) ?? compare(record)
        }
    }

    private func restart(at now: Instant, lastSign: Instant, isMeanwhile: Bool = false) {
        for session in sessions.list(limit: .max - 1).sessions { session.machine.end() }
        time = ReplayClock(startingAt: now)
        sessions = Sessions(flows, on: time)
        _ = sessions.restore(reading.written(), lastSign: lastSign, isMeanwhile: isMeanwhile)
        listen()
    }

    // MARK: time

    /// Lets everything happen that is due by an instant: nothing but beats, which nobody wrote down.
    private func beat(until instant: Instant, _ record: SessionRecord) -> Difference? {
        while !isCutShort, let next = time.next, next.deadline <= instant {
            time.fireNext(at: next.deadline)
            if let extra = derived.removeFirst() {
                return difference(record, "a timer fired before it that did not then", extra)
            }
        }
        time.move(to: instant)
        return nil
    }

    /// Lets the timer fire that did then, at the instant at which it did, which on the real clock is a little
    /// after its deadline; what is due before it are beats.
    private func fire(_ signal: String, _ missed: Int, _ record: SessionRecord) -> Difference? {
        isCutShort = false
        while let next = time.next, next.deadline <= record.at {
            if next.isMeant(record.session, signal, missed, at: record.at) {
                time.fireNext(at: record.at)
                return nil
            }
            time.fireNext(at: next.deadline)
            if let extra = derived.removeFirst() {
                return difference(record, "a timer fired before it that did not then", extra)
            }
        }
        return difference(record, "the timer \(signal) is not due then")
    }

    // MARK: what is done again

    private func perform(_ deed: Deed, _ record: SessionRecord) -> Difference? {
        guard let name = record.session else { return nil }
        do throws(RequestError) {
            try sessions.perform(deed, on: name, id: record.id)
            return nil
        } catch { return difference(record, "it is refused now: \(error.name)") }
    }

    private func compare(_ record: SessionRecord) -> Difference? {
        guard let now = derived.removeFirst() else {
            return difference(record, "it does not come about")
        }
        guard record.isRepeated(by: now) else {
            return difference(record, "it comes about otherwise", now)
        }
        changes += 1
        return nil
    }

    private func difference(_ record: SessionRecord, _ why: String, _ now: SessionRecord? = nil)
        -> Difference
    {
        Difference(
            position: record.position ?? 0, session: record.session?.text ?? "", why: why,
            then: record, now: now)
    }
}
