import GameFlow
import Sessions
import TestSupport
import Testing
import Timers

@testable import Statistics

/// Which sessions are stuck, computed from all durable records of a journal in the simplest way.
private struct VisitModel {
    private struct Visit {
        let session: SessionName
        let state: String
        let length: Duration
        /// The number of the change that ended the visit.
        let end: Int
    }

    private struct Stay {
        let state: String
        let since: Instant
    }

    private var visits: [Visit] = []
    private var stays: [SessionName: Stay] = [:]

    init(_ records: some Sequence<SessionRecord>) {
        for record in records { add(record) }
    }

    private mutating func add(_ record: SessionRecord) {
        guard case .change(let recorded) = record.body, let name = record.session else { return }
        let step = recorded.change.step
        switch step.kind {
        case .open, .enter, .goto:
            end(name, record)
            stays[name] = step.to.map { Stay(state: $0.state, since: record.at) }
        case .close:
            end(name, record)
            stays[name] = nil
            // A change of another session of this name can have the same number.
            visits = visits.map {
                $0.session == name
                    ? Visit(session: name, state: $0.state, length: $0.length, end: 0) : $0
            }
        case .undo:
            guard let details = recorded.change.details, let to = step.to,
                let first = details.value.undone?.lowerBound
            else { return }
            let undone = visits.filter { $0.session == name && $0.end >= first }
            visits.removeAll { $0.session == name && $0.end >= first }
            guard let continued = undone.first else { return }
            stays[name] = Stay(
                state: to.state, since: record.at + (.zero - continued.length))
        default: break
        }
    }

    private mutating func end(_ name: SessionName, _ record: SessionRecord) {
        guard let stay = stays[name] else { return }
        visits.append(
            Visit(
                session: name, state: stay.state, length: record.at - stay.since, end: record.seq))
    }

    func stuck(at now: Instant) -> Set<SessionName> {
        Set(
            stays.filter { _, stay in
                let lengths = visits.filter { $0.state == stay.state }.map(\.length).sorted()
                guard lengths.count >= 20, !["won", "lost"].contains(stay.state) else {
                    return false
                }
                return now - stay.since > lengths[(lengths.count * 9 + 9) / 10 - 1]
            }.keys)
    }
}

@Suite struct StuckSessionModelTests {
    /// Sessions that read their journal in pages.
    private struct Reading {
        let stays: SessionStays
        private var reader: StayReader
        private var unread: ArraySlice<SessionRecord>

        init(_ games: RecordedGames, _ times: VisitTimes) {
            stays = games.sessions.followStays(times)
            reader = StayReader(stays, times)
            unread = games.records.prefix(games.durableCount)
        }

        /// Reads some records. Returns whether these were the last.
        mutating func readPage(of count: Int) -> Bool {
            for record in unread.prefix(count) { reader.add(record, isNew: true) }
            unread = unread.dropFirst(count)
            if unread.isEmpty { stays.endOfRecords() }
            return unread.isEmpty
        }
    }

    /// Sessions that were found stay marked until they enter a state, although later visits may make their stay usual.
    @Test(arguments: seeds(6, long: 300))
    func `random games have the stuck sessions that a model computes from the records`(seed: UInt64)
        throws
    {
        var random = SeededRandom(seed)
        let games = RecordedGames()
        let times = VisitTimes(finals: RecordedGames.finals(of:))
        // The sessions read the journal in the middle of the games, while these go on.
        let beginning = random.below(200)
        var reading: Reading?
        var stays: SessionStays?
        var readCount = 0
        for step in 0..<400 {
            if step >= beginning, readCount == 0, !isUndoPending(games) {
                reading = Reading(games, times)
                readCount = games.records.count
            }
            if reading?.readPage(of: random.below(20)) == true {
                stays = reading?.stays
                reading = nil
            }
            try play(games, &random, readCount: readCount)
            guard let stays else { continue }
            let durable = games.records.prefix(games.durableCount)
            let changing = Set(games.records.dropFirst(games.durableCount).compactMap(\.session))
            let expected = VisitModel(durable).stuck(at: games.sessions.now)
                .subtracting(changing).filter { !isMarked($0, games.sessions) }
            var effort = StuckSearchEffort()
            let found = stays.takeStuck(&effort).map(\.session)
            #expect(Set(found.map(\.name)) == expected, "seed \(seed), step \(step)")
            for session in found { games.sessions.markStuck(session) }
        }
    }

    /// Whether an undo is not durable. Sessions read their journal after a restart, when none is.
    private func isUndoPending(_ games: RecordedGames) -> Bool {
        games.records.dropFirst(games.durableCount).contains { kind(of: $0) == .undo }
    }

    /// Whether a session was opened after the journal was read. Changes from before a restart cannot be undone.
    private func isNew(_ name: String, _ games: RecordedGames, readCount: Int) -> Bool {
        let opening = games.records.lastIndex {
            $0.session?.text == name && kind(of: $0) == .open
        }
        return opening.map { $0 >= readCount } ?? false
    }

    /// The kind of the change that a record contains.
    private func kind(of record: SessionRecord) -> Step.Kind? {
        guard case .change(let recorded) = record.body else { return nil }
        return recorded.change.step.kind
    }

    private func isMarked(_ name: SessionName, _ sessions: Sessions) -> Bool {
        (try? sessions.session(name)).map { sessions.stuckMarks.entry(of: name) == $0.entry }
            ?? false
    }

    /// Makes a random step. Requests that the flow refuses change nothing. `readCount` is the number of records that the sessions
    /// have read.
    private func play(
        _ games: RecordedGames, _ random: inout SeededRandom, readCount: Int
    ) throws {
        let name = random.pick(["a", "b", "c", "d"])
        switch random.below(20) {
        case 0...4: try games.wait(1 + random.below(3))
        case 5: games.isDurable = random.below(3) > 0
        case 6: if random.below(4) == 0 { games.loseUndurableRecords() }
        case 7: try? games.close(name)
        case 8, 9, 10: if isNew(name, games, readCount: readCount) { try? games.undo(name) }
        case 11: try? games.label([Member("team", .string("Owls"))], name)
        case 12, 13: try? games.goto(random.pick(["lobby", "search", "riddle"]), name)
        default:
            do { try games.open(name) } catch {
                try? games.send(random.pick(["begin", "ask", "solve", "find"]), name)
            }
        }
    }
}
