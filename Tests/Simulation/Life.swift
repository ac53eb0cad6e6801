import GameFlow
import JSON
import Keeping
import Sessions
import Timers
import Wire

/// One life of the daemon, from its start to its end or its crash.
final class Life {
    let sessions: Sessions
    let keeper: Keeper
    let conversation: Conversation
    let clock: SimulatedClock?
    let timeline: any TimerClock
    private(set) var retries: [() -> Void] = []
    /// What the disk's news means to those who are connected.
    var settled: (Keeper.Outcome) -> Void = { _ in }

    init(
        _ shelf: Shelf, _ flows: [AnyFlow], _ weather: Weather, wall: Instant,
        lastSign: Instant?, _ mistake: Mistake
    ) throws(Broken) {
        var start = lastSign ?? wall
        if !weather.isVirtual, mistake != .clockGoesBack { start = max(wall, start) }
        if mistake == .clockGoesBack, !weather.isVirtual { start = wall }
        clock = weather.isVirtual ? nil : SimulatedClock(startingAt: start)
        timeline = clock?.time ?? VirtualClock(startingAt: start)
        timeline.timerQueue.planted = mistake == .cancelForgotten ? .cancelForgotten : []
        sessions = Sessions(flows, on: timeline)
        sessions.auditsRefusals = weather.audits
        var reading = JournalReading(
            pruned: 0, answers: sessions.limits.ids, believesAll: mistake == .checksumsSkipped)
        for row in shelf.rows { reading.take(row) }
        let sign = lastSign ?? start
        let written = Self.spoilt(reading.written(), mistake, by: start - sign)
        let quarantined = sessions.restore(written, lastSign: sign)
        try expect(quarantined.isEmpty, "quarantined: \(quarantined.first.map { "\($0)" } ?? "")")
        keeper = Keeper(sessions, in: shelf, newest: written.newest)
        sessions.planted = mistake.planted
        let identity = Dispatcher.Identity(version: "0", instance: "simulated", limits: [])
        conversation = Conversation(Dispatcher(sessions, identity, archive: keeper))
        if mistake != .timersNotHeld {
            keeper.hold = { [unowned self] isHeld in
                clock?.isHeld = isHeld
                settle()
            }
        }
        keeper.later = { [unowned self] in retries.append($0) }
        keeper.settled = { [unowned self] in settled($0) }
        sessions.recordStart([], lastSign: sign)
        settle()
    }

    private static func spoilt(_ written: Sessions.Written, _ mistake: Mistake, by down: Duration)
        -> Sessions.Written
    {
        var written = written
        if mistake == .idsForgotten { written.answers = [] }
        guard mistake == .relativeDeadlines else { return written }
        written.sessions = written.sessions.map { session in
            let record = session.record
            let text = String(decoding: record.body, as: UTF8.self)
            let moved = text.replacing(/"untilNs":"(\d+)"/) {
                "\"untilNs\":\"\(Int64($0.1)! + down.nanoseconds)\""
            }
            return WrittenSession(
                SessionRecord(
                    record.kind, session: record.session, seq: record.seq, at: record.at,
                    id: record.id, idNumber: record.idNumber, position: record.position,
                    body: Array(moved.utf8)), session.mark, began: session.began)
        }
        return written
    }

    /// Time before anything else.
    func settle() { clock?.settle() }

    /// A turn of the loop is over.
    func endTurn() { keeper.flush() }

    /// Whoever waits to try the disk again does.
    func retry() { for retry in exchange(&retries, with: []) { retry() } }

    /// Ends every machine's timers: the next life shares nothing with this one.
    func end() {
        sessions.recorder = nil
        for session in sessions.list(limit: .max - 1).sessions { session.machine.end() }
    }

    /// What clients see of every session.
    var everything: [[UInt8]] {
        sessions.list(limit: .max - 1).sessions.map { session in
            var writer = JSONWriter()
            writer.session(session)
            return writer.bytes
        }
    }
}
