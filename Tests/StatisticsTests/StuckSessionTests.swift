import GameFlow
import Sessions
import TestSupport
import Testing
import Timers

@testable import Statistics

/// Sessions that stay in a state longer than nine of ten recent visits lasted.
@Suite struct StuckSessionTests {
    /// How the sessions learn of the visits.
    enum Source: CaseIterable {
        /// They follow the changes as they happen.
        case changes
        /// They read the journal at the end.
        case journal
        /// They read the journal, and then follow the changes.
        case both
    }

    /// Games of `Hunt`: `begin` leads from `lobby` to `search`, and `find` from there to the final state `won`; `ask` leads from
    /// `search` to `riddle`.
    private final class Hunts {
        let games = RecordedGames()
        let times: VisitTimes
        private(set) var stays: SessionStays?
        private let source: Source

        init(_ source: Source, stateLimit: Int = VisitTimes.stateLimit) {
            self.source = source
            times = VisitTimes(stateLimit: stateLimit, finals: RecordedGames.finals(of:))
            if source == .changes { follow() }
        }

        /// Follows the sessions, and reads the journal so far.
        func follow(sessionLimit: Int = 100_000) {
            try? follow(sessionLimit: sessionLimit) {}
        }

        /// Does the same; `meanwhile` is called before the journal is read.
        func follow(sessionLimit: Int = 100_000, meanwhile: () throws -> Void) throws {
            let stays = games.sessions.followStays(times)
            let recorded = games.records.prefix(games.durableCount)
            try meanwhile()
            var reader = StayReader(stays, times, sessionLimit: sessionLimit)
            for record in recorded { reader.add(record, isNew: true) }
            stays.endOfRecords()
            self.stays = stays
        }

        /// Call in the middle of a test, where one source of visits takes the place of the other.
        func middle() { if source == .both { follow() } }

        /// The sessions that have become stuck, each with the time for which it is stuck.
        func takeStuck() -> [String: Duration] {
            if stays == nil { follow() }
            var effort = StuckSearchEffort()
            let found = stays!.takeStuck(&effort).map {
                ($0.session.name.text, games.sessions.now - $0.stuckSince)
            }
            return Dictionary(uniqueKeysWithValues: found)
        }

        /// Plays twenty games, which stay in the state `search` for 1, 2, … 20 s: nine of ten visits last at most 18 s.
        func playTwentyGames() throws {
            for seconds in 1...20 { try games.play("past", secondsInSearch: seconds) }
        }
    }

    @Test(arguments: Source.allCases)
    func `a session is stuck when it stays longer than nine of ten visits lasted`(_ source: Source)
        throws
    {
        let hunts = Hunts(source)
        try hunts.playTwentyGames()
        try hunts.games.open("a")
        try hunts.games.send("begin", "a")
        hunts.middle()
        try hunts.games.wait(18)
        #expect(hunts.takeStuck().isEmpty)
        try hunts.games.wait(.milliseconds(1))
        #expect(hunts.takeStuck() == ["a": .milliseconds(1)])
        // A session is found at most once in each entry.
        try hunts.games.wait(100)
        #expect(hunts.takeStuck().isEmpty)
        try hunts.games.goto("search", "a")
        try hunts.games.wait(119)
        #expect(hunts.takeStuck().count == 1)
    }

    @Test
    func
        `a visit counts that began before the sessions were followed and ended while the journal was read`()
        throws
    {
        let hunts = Hunts(.journal)
        for seconds in 1...18 { try hunts.games.play("past", secondsInSearch: seconds) }
        for name in ["left", "closed", "undone"] {
            try hunts.games.open(name)
            try hunts.games.send("begin", name)
        }
        try hunts.games.wait(19)
        try hunts.follow {
            try hunts.games.send("find", "left")
            try hunts.games.send("find", "undone")
            try hunts.games.undo("undone")
            try hunts.games.wait(1)
            // The visit goes on since the undo, and lasts 1 s.
            try hunts.games.close("undone")
            try hunts.games.close("closed")
            // The name belongs to another session now.
            try hunts.games.open("closed")
        }
        try hunts.games.open("a")
        try hunts.games.send("begin", "a")
        try hunts.games.wait(18)
        // The visits are those of 1 to 20 s, and one more of 1 s.
        #expect(hunts.takeStuck()["a"] == nil)
        try hunts.games.wait(.milliseconds(1))
        #expect(hunts.takeStuck()["a"] == .milliseconds(1))
    }

    @Test
    func
        `a visit counts whose end becomes durable after the journal was read, and an undurable end that is lost does not`()
        throws
    {
        for isEndLost in [false, true] {
            let hunts = Hunts(.journal)
            try hunts.playTwentyGames()
            for name in ["left", "closed"] {
                try hunts.games.open(name)
                try hunts.games.send("begin", name)
            }
            try hunts.games.wait(21)
            hunts.games.isDurable = false
            try hunts.games.send("find", "left")
            try hunts.games.close("closed")
            try hunts.games.open("closed")
            hunts.follow()
            if isEndLost {
                hunts.games.loseUndurableRecords()
                // The visits go on, and end later.
                #expect(hunts.takeStuck().keys.sorted() == ["closed", "left"])
                try hunts.games.wait(1)
                try hunts.games.send("find", "left")
                try hunts.games.close("closed")
            } else {
                hunts.games.isDurable = true
            }
            try hunts.games.open("a")
            try hunts.games.send("begin", "a")
            try hunts.games.wait(20)
            // The visits lasted 1 to 20 s, and two more at least 21 s: nine of ten lasted at most 20 s.
            #expect(hunts.takeStuck()["a"] == nil)
            try hunts.games.wait(.milliseconds(1))
            #expect(hunts.takeStuck()["a"] == .milliseconds(1), "the end is lost: \(isEndLost)")
        }
    }

    @Test func `sessions are compared with the visits in two journals; each visit counts once`()
        throws
    {
        let first = Hunts(.journal)
        for seconds in 1...10 { try first.games.play("past", secondsInSearch: seconds) }
        let times = first.times
        func read(_ games: RecordedGames, journal: Int) -> SessionStays {
            let stays = games.sessions.followStays(times)
            var reader = StayReader(stays, times)
            for (index, record) in games.records.enumerated() {
                reader.add(record, isNew: times.isNew(index + 1, inJournal: journal))
            }
            times.markCounted(upTo: games.records.count, inJournal: journal)
            stays.endOfRecords()
            return stays
        }
        _ = read(first.games, journal: 1)
        // The visits of a journal that is read again are not counted twice.
        _ = read(first.games, journal: 1)
        let others = RecordedGames()
        for seconds in 11...19 { try others.play("past", secondsInSearch: seconds) }
        try others.open("a")
        try others.send("begin", "a")
        let stays = read(others, journal: 2)
        try others.wait(18)
        try others.wait(.milliseconds(1))
        var effort = StuckSearchEffort()
        // Nineteen visits are too few.
        #expect(stays.takeStuck(&effort).isEmpty)
        try first.games.play("past", secondsInSearch: 20)
        // The two journals have twenty visits of 1 to 20 s.
        #expect(stays.takeStuck(&effort).map(\.session.name.text) == ["a"])
    }

    @Test(arguments: Source.allCases)
    func `with fewer than twenty past visits no session is stuck`(_ source: Source) throws {
        let hunts = Hunts(source)
        for seconds in 1...19 { try hunts.games.play("past", secondsInSearch: seconds) }
        try hunts.games.open("a")
        try hunts.games.send("begin", "a")
        hunts.middle()
        try hunts.games.wait(3000)
        #expect(hunts.takeStuck().isEmpty)
    }

    @Test(arguments: Source.allCases)
    func `a session that entered the state before the twentieth visit is found`(_ source: Source)
        throws
    {
        let hunts = Hunts(source)
        for seconds in 1...19 { try hunts.games.play("past", secondsInSearch: seconds) }
        try hunts.games.open("a")
        try hunts.games.send("begin", "a")
        hunts.middle()
        try hunts.games.play("past", secondsInSearch: 20)
        #expect(Array(hunts.takeStuck().keys) == ["a"])
    }

    @Test(arguments: Source.allCases)
    func `a session that left the state before it was stuck is not found`(_ source: Source) throws {
        let hunts = Hunts(source)
        try hunts.playTwentyGames()
        try hunts.games.open("a")
        try hunts.games.send("begin", "a")
        try hunts.games.wait(10)
        hunts.middle()
        try hunts.games.send("ask", "a")
        try hunts.games.wait(1000)
        #expect(hunts.takeStuck().isEmpty)
    }

    @Test(arguments: Source.allCases)
    func `a session in a final state is never stuck`(_ source: Source) throws {
        let hunts = Hunts(source)
        for _ in 1...30 { try hunts.games.play("past", secondsInSearch: 1) }
        try hunts.games.open("a")
        try hunts.games.send("begin", "a")
        hunts.middle()
        try hunts.games.send("find", "a")
        try hunts.games.wait(1000)
        #expect(hunts.takeStuck().isEmpty)
    }

    @Test(arguments: Source.allCases)
    func
        `after an undo the earlier time of the visit counts, and the session is found in the new entry`(
            _ source: Source
        ) throws
    {
        let hunts = Hunts(source)
        try hunts.playTwentyGames()
        try hunts.games.open("a")
        hunts.middle()
        try hunts.games.send("begin", "a")
        try hunts.games.wait(15)
        try hunts.games.send("ask", "a")
        try hunts.games.wait(50)
        try hunts.games.undo("a")
        // The session was in `search` for 15 s when it left the state, and the undo continues this visit. After 3 s more, the
        // visit exceeds 18 s.
        try hunts.games.wait(3)
        #expect(hunts.takeStuck().isEmpty)
        try hunts.games.wait(.milliseconds(1))
        #expect(hunts.takeStuck() == ["a": .milliseconds(1)])
    }

    @Test func `an undo of a stuck session begins a new entry, in which it is found again`() throws
    {
        let hunts = Hunts(.changes)
        try hunts.playTwentyGames()
        try hunts.games.open("a")
        try hunts.games.send("begin", "a")
        try hunts.games.wait(19)
        #expect(hunts.takeStuck().count == 1)
        try hunts.games.pauseTimer("a")
        try hunts.games.undo("a")
        #expect(hunts.takeStuck().count == 1)
        #expect(hunts.takeStuck().isEmpty)
    }

    @Test(arguments: Source.allCases)
    func `a visit that an undo continues is not one of the past visits`(_ source: Source) throws {
        let hunts = Hunts(source)
        for seconds in 1...19 { try hunts.games.play("past", secondsInSearch: seconds) }
        try hunts.games.open("a")
        hunts.middle()
        try hunts.games.send("begin", "a")
        try hunts.games.wait(500)
        try hunts.games.send("ask", "a")
        try hunts.games.undo("a")
        try hunts.games.wait(1000)
        #expect(hunts.takeStuck().isEmpty)
    }

    @Test(arguments: [Source.journal, .both])
    func `the time in which the daemon was down makes no session stuck`(_ source: Source) throws {
        let hunts = Hunts(source)
        try hunts.playTwentyGames()
        try hunts.games.open("a")
        try hunts.games.send("begin", "a")
        try hunts.games.wait(10)
        try hunts.games.restart(after: 500)
        hunts.middle()
        try hunts.games.wait(8)
        #expect(hunts.takeStuck().isEmpty)
        try hunts.games.wait(1)
        #expect(hunts.takeStuck() == ["a": .seconds(1)])
    }

    @Test func `the time in which the process stood still makes no session stuck`() throws {
        let hunts = Hunts(.changes)
        try hunts.playTwentyGames()
        try hunts.games.open("a")
        try hunts.games.send("begin", "a")
        try hunts.games.wait(10)
        let lastAlive = hunts.games.sessions.now
        try hunts.games.wait(500)
        hunts.games.sessions.continueAfterStandstill(since: lastAlive, [])
        try hunts.games.wait(8)
        #expect(hunts.takeStuck().isEmpty)
        try hunts.games.wait(1)
        #expect(hunts.takeStuck() == ["a": .seconds(1)])
    }

    @Test(arguments: Source.allCases)
    func `a closed session is not stuck`(_ source: Source) throws {
        let hunts = Hunts(source)
        try hunts.playTwentyGames()
        try hunts.games.open("a")
        try hunts.games.send("begin", "a")
        try hunts.games.wait(30)
        hunts.middle()
        try hunts.games.close("a")
        try hunts.games.wait(1000)
        #expect(hunts.takeStuck().isEmpty)
    }

    @Test func `sessions above the limit are not read from the journal`() throws {
        let hunts = Hunts(.journal)
        try hunts.playTwentyGames()
        for name in ["a", "b", "c"] {
            try hunts.games.open(name)
            try hunts.games.send("begin", name)
        }
        hunts.follow(sessionLimit: 2)
        try hunts.games.wait(100)
        #expect(hunts.takeStuck().keys.sorted() == ["a", "b"])
    }

    @Test func `states above the limit are not followed`() throws {
        // The first state of the games is `lobby`, so the second state, `search`, exceeds the limit.
        let hunts = Hunts(.changes, stateLimit: 1)
        try hunts.playTwentyGames()
        try hunts.games.open("a")
        try hunts.games.send("begin", "a")
        try hunts.games.wait(100)
        #expect(hunts.takeStuck().isEmpty)
    }

    @Test func `a change counts only when it is durable`() throws {
        let hunts = Hunts(.changes)
        try hunts.playTwentyGames()
        try hunts.games.open("a")
        try hunts.games.send("begin", "a")
        try hunts.games.open("b")
        try hunts.games.send("begin", "b")
        try hunts.games.wait(30)
        hunts.games.isDurable = false
        try hunts.games.send("ask", "a")
        #expect(Array(hunts.takeStuck().keys) == ["b"])
        // The store loses the change, and the session is in its state for 30 s.
        hunts.games.loseUndurableRecords()
        #expect(Array(hunts.takeStuck().keys) == ["a"])
    }

    @Test func `a search continues where the effort of the one before ended`() throws {
        let hunts = Hunts(.changes)
        try hunts.playTwentyGames()
        for number in 1...5 {
            try hunts.games.open("s\(number)")
            try hunts.games.send("begin", "s\(number)")
        }
        try hunts.games.wait(30)
        var effort = StuckSearchEffort()
        effort.sessions = 2
        #expect(hunts.stays?.takeStuck(&effort).map(\.session.name.text) == ["s1", "s2"])
        #expect(hunts.stays?.takeStuck(&effort).isEmpty == true)
        effort.sessions = 10
        #expect(hunts.stays?.takeStuck(&effort).count == 3)
        // Without effort for a percentile, the state waits.
        for number in 1...5 { try hunts.games.goto("search", "s\(number)") }
        try hunts.games.wait(100)
        effort.percentiles = 0
        #expect(hunts.stays?.takeStuck(&effort).isEmpty == true)
        effort.percentiles = 1
        #expect(hunts.stays?.takeStuck(&effort).count == 5)
    }
}
