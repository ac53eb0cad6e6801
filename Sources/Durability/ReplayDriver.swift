internal import GameFlow
internal import Journal
internal import Sessions
internal import Timers

/// Runs a journal again: starts the daemon where it started, moves time, fires the timers that fired, and does again
/// what came from outside. What is done with the records that come about is a policy's.
final class ReplayDriver {
    private let flows: [AnyFlow]
    private let pruned: Int
    private var time = ReplayClock()
    private(set) var sessions: Sessions
    /// The rows that a restart restores from.
    var reading: JournalReading
    /// Sessions of which nothing is left so far but refusals.
    private var headless: Set<String> = []
    /// Whether the clock stopped in the middle of what was due.
    private var isCutShort = false
    /// Called with each record that comes about; returns the mark of its row.
    var recorder: (SessionRecord, JournalPosition) -> JournalPosition = { $1 } {
        didSet { sessions.recorder = recorder }
    }

    /// A replay of a journal of which rows were removed up to a position. What a restart restores from is read as
    /// from a journal of which they were removed up to `written`.
    init(_ flows: [AnyFlow], pruned: Int, written: Int) {
        (self.flows, self.pruned) = (flows, pruned)
        sessions = Sessions(flows, on: time)
        reading = JournalReading(pruned: written, answers: sessions.limits.ids)
    }

    /// Does again what a record says was done.
    func run<Policy: ReplayPolicy>(
        _ deed: JournalCommand, _ record: SessionRecord, _ policy: Policy
    )
        -> Policy.Stop?
    {
        switch deed {
        case .start(let now, let lastSign): return policy.start(at: now, lastSign: lastSign)
        case .advance(let now, let isCutShort):
            return advance(to: now, isCutShort: isCutShort, record, policy)
        case .consequence: return policy.compare(record)
        case .refusal, .givenUp: return policy.nothingCameAbout(deed, record)
        case .forgotten: return nil
        case .firing(let signal, let missed): return fire(signal, missed, record, policy)
        case .open, .close, .send, .goto, .operate:
            return run(until: record.at, before: record, policy) ?? policy.willPerform(record)
                ?? perform(deed, record, policy)
        }
    }

    private func perform<Policy: ReplayPolicy>(
        _ deed: JournalCommand, _ record: SessionRecord, _ policy: Policy
    ) -> Policy.Stop? {
        guard let name = record.session else { return nil }
        do throws(RequestError) { try sessions.perform(deed, on: name, id: record.id) } catch {
            return policy.refused(error, record)
        }
        return policy.compare(record)
    }

    // MARK: restarts

    /// Starts the daemon anew from what was read so far; the sessions that could not be restored.
    func restart(at now: Instant, lastSign: Instant, isMeanwhile: Bool = false)
        -> [Sessions.Quarantined]
    {
        for session in sessions.list(limit: .max - 1).sessions { session.machine.end() }
        time = ReplayClock(startingAt: now)
        sessions = Sessions(flows, on: time)
        let lost = sessions.restore(
            reading.written(), lastSign: lastSign, isMeanwhile: isMeanwhile)
        sessions.recorder = recorder
        return lost
    }

    /// Whether a session that is not there begins with a row in its middle, because the rows before it were removed.
    /// A refusal does not tell its state: then it begins with a later row.
    func beginsInMiddle(with row: JournalRow) -> Bool {
        let isCut = row.previous != .start && row.previous.position <= pruned
        guard isCut || headless.contains(row.session) else { return false }
        guard row.kind != .refusal else {
            headless.insert(row.session)
            return false
        }
        headless.remove(row.session)
        return true
    }

    // MARK: time

    /// Fires everything that is due by an instant, each timer at its deadline.
    func run<Policy: ReplayPolicy>(
        until instant: Instant, before record: SessionRecord, _ policy: Policy
    ) -> Policy.Stop? {
        while !isCutShort, let next = time.next, next.deadline <= instant {
            time.fireNext(at: next.deadline)
            if let stop = policy.timerFired(before: record) { return stop }
        }
        if !isCutShort { time.move(to: instant) }
        return nil
    }

    /// Where the clock stopped in the middle of what was due at an instant, what fired at that instant has rows.
    private func advance<Policy: ReplayPolicy>(
        to instant: Instant, isCutShort: Bool, _ record: SessionRecord, _ policy: Policy
    ) -> Policy.Stop? {
        self.isCutShort = false
        let last = isCutShort ? instant + Duration.nanoseconds(-1) : instant
        if let stop = run(until: last, before: record, policy) { return stop }
        time.move(to: instant)
        self.isCutShort = isCutShort
        return nil
    }

    /// Fires the timer that fired then. One with the same deadline fires at the same instant, which on the real clock
    /// is a little after its deadline; any other at its own deadline.
    private func fire<Policy: ReplayPolicy>(
        _ signal: String, _ missed: Int, _ record: SessionRecord, _ policy: Policy
    ) -> Policy.Stop? {
        isCutShort = false
        let isSame = policy.hasSameDeadline(signal, record)
        while let next = time.next, next.deadline <= record.at {
            if isSame {
                if next.isMeant(record.session, signal, missed, at: record.at) {
                    time.fireNext(at: record.at)
                    return policy.compare(record)
                }
            } else if !isDue(record.session, by: record.at) {
                break
            }
            time.fireNext(at: next.deadline)
            if let stop = policy.timerFired(before: record) { return stop }
        }
        return policy.timerIsNotDue(signal, record)
    }

    private func isDue(_ name: SessionName?, by instant: Instant) -> Bool {
        guard let name, let session = try? sessions.session(name) else { return false }
        return session.machine.liveTimers.contains { timer in
            timer.info.deadline.map { $0 <= instant } ?? false
        }
    }
}
