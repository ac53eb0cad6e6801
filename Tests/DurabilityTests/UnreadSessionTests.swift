import Durability
import FlowFiles
import GameFlow
import Journal
import Sessions
import TestSupport
import Testing
import Timers

/// Sessions that a restart leaves, and that are decoded when they are needed.
@Suite struct UnreadSessionTests {
    private static let names = (0..<6).map { SessionName("room-\($0)")! }

    /// Timers of each kind with each behaviour at a restart.
    private static let texts = [
        game(
            "plain",
            """
            timers:
              kept: {after: 20s, restart: remaining}
              again: {after: 9s, restart: restart}
              fixed: {after: 30s, restart: deadline}
              gone: {after: 25s, restart: drop}
              waits: {after: 3s, paused: true}
            on:
              stop: idle
              hint: {resume: waits}
              kept: idle
              again: {do: bell}
              fixed: {do: bell}
              gone: {do: bell}
              waits: {do: bell}
            """),
        game(
            "beats",
            """
            timers:
              kept: {every: 7s, restart: remaining}
              again: {every: 11s, restart: restart}
              fixed: {every: 4s}
            on:
              stop: idle
              kept: {do: bell}
              again: {do: bell}
              fixed: {do: bell}
            """),
        game(
            "forms",
            """
            timers:
              end: {after: 40s, overtime: true, restart: remaining}
              nearly: {when: {left: 15s, of: end}}
              late: {when: {left: -5s, of: end}}
              work: {up: true, restart: remaining}
            on:
              stop: idle
              end: {do: bell}
              nearly: {do: bell}
              late: {do: bell}
            """),
        """
        flow: closes
        start: playing
        events: {ring: }
        effects: [bell]
        states:
          playing:
            timers: {closing: {until: '00:01'}}
            on: {closing: {do: bell}, ring: {do: bell}}
        """,
        """
        flow: meets
        start: long
        events: {ring: }
        effects: [bell]
        states:
          long: {timers: {end: {after: 20s}}, on: {end: over, ring: {do: bell}}}
          short: {timers: {end: {after: 10s}}, on: {end: over}}
          over: {final: true}
        """,
    ]

    /// A flow whose state `playing` has these timers and transitions.
    private static func game(_ name: String, _ playing: String) -> String {
        """
        flow: \(name)
        start: idle
        events: {start: , stop: , hint: }
        effects: [bell]
        states:
          idle: {on: {start: playing}}
          playing:
            \(playing.split(separator: "\n").joined(separator: "\n    "))
        """
    }

    private func flows() throws -> [AnyFlow] {
        try AnyFlow.shipped()
            + Self.texts.map { try FlowFile(text: Array($0.utf8), file: "flow.yaml").flow }
    }

    @Test(arguments: seeds(12, long: 200))
    func `sessions that are decoded later continue like those that are decoded at the restart`(
        _ seed: UInt64
    ) throws {
        var random = SeededRandom(seed)
        let flows = try flows()
        let (eager, later) = (
            RestartFixture(flows),
            RestartFixture(
                flows, leavesSessions: true,
                boundsAreEarlyBy: .milliseconds(Int64(random.pick([0, 1, 4000]))))
        )
        var (comparedCount, leftCount) = (0, 0)
        for step in 0..<400 {
            let name = random.pick(Self.names)
            var sameRandom = random
            try eager.step(&random, name)
            try later.step(&sameRandom, name)
            leftCount += later.sessions.unreadCount
            switch random.below(12) {
            case 0: later.sessions.decodeNext(1)
            case 1: _ = later.sessions.list(limit: 2)
            default: break
            }
            try #require(eager.rows.count == later.rows.count, "seed \(seed), step \(step)")
            for index in comparedCount..<eager.rows.count {
                let (record, other) = (
                    try eager.rows[index].record(), try later.rows[index].record()
                )
                try #require(
                    record.isRepeated(by: other),
                    "seed \(seed), step \(step), row \(index): \(record) and \(other)")
            }
            comparedCount = eager.rows.count
            #expect(eager.sessions.count == later.sessions.count)
        }
        #expect(leftCount > 0, "seed \(seed): no restart has left a session")
        #expect(eager.sessions.all.map(\.name) == later.sessions.all.map(\.name))
    }

    // MARK: single sessions

    private let context = RequestContext(from: Players.player)

    /// Sessions of the first flow, which play, after a restart of `down`.
    private func restarted(after down: Duration, sending id: String? = nil) throws
        -> RestartFixture
    {
        let fixture = RestartFixture(try flows(), leavesSessions: true)
        let plain = try fixture.sessions.flow("plain")
        for name in Self.names {
            _ = try fixture.sessions.open(name, plain, context)
            _ = try fixture.sessions.send(
                "start", to: fixture.sessions.session(name),
                RequestContext(from: Players.player, id: id))
        }
        fixture.restart(after: down)
        return fixture
    }

    @Test func `a request decodes its session and no other`() throws {
        let fixture = try restarted(after: .seconds(1))
        #expect(fixture.sessions.unreadCount == 6)
        #expect(fixture.sessions.count == 6)
        #expect(try fixture.sessions.session(Self.names[2]).machine.place.state == "playing")
        #expect(fixture.sessions.unreadCount == 5)
        #expect(fixture.sessions.count == 6)
    }

    @Test func `a list decodes what it lists, in the order of the names`() throws {
        let fixture = try restarted(after: .seconds(1))
        let (page, more) = fixture.sessions.list(after: Self.names[0], limit: 2)
        #expect(page.map(\.name) == [Self.names[1], Self.names[2]])
        #expect(more)
        // The list looks for one more session, to know whether there is one.
        #expect(fixture.sessions.unreadCount == 3)
        // The name of the flow is read without decoding.
        #expect(fixture.sessions.list(flow: "forms", limit: 2).sessions.isEmpty)
        #expect(fixture.sessions.unreadCount == 3)
        let playing = fixture.sessions.list(flow: "plain", limit: 10).sessions
        #expect(playing.map(\.name) == Self.names)
        #expect(fixture.sessions.unreadCount == 0)
    }

    @Test func `a list in pieces decodes the same sessions as a list at once`() throws {
        let fixture = try restarted(after: .seconds(1))
        var search = SessionSearch(after: Self.names[0], limit: 2)
        var (page, pieces) = (SessionSearch.Page?.none, 0)
        while page == nil {
            page = search.advance(in: fixture.sessions, examining: 1) { _ in true }
            pieces += 1
        }
        #expect(page?.sessions.map(\.name) == [Self.names[1], Self.names[2]])
        #expect(page?.more == true && pieces >= 6 && fixture.sessions.unreadCount == 3)
    }

    @Test func `a list can leave out what is not decoded`() throws {
        let fixture = try restarted(after: .seconds(1))
        _ = try fixture.sessions.session(Self.names[4])
        let page = fixture.sessions.list(limit: 10, areUnreadListed: false).sessions
        #expect(page.map(\.name) == [Self.names[4]])
        #expect(fixture.sessions.unreadCount == 5)
    }

    @Test func `sessions with an overdue timer are decoded at the restart`() throws {
        let early = try restarted(after: .seconds(8))
        #expect(early.sessions.unreadCount == 6)
        let late = try restarted(after: .seconds(9))
        #expect(late.sessions.unreadCount == 0)
        #expect(late.sessions.count == 6)
    }

    @Test(arguments: [("forms", true), ("closes", false)])
    func `sessions with marks or with times of day are decoded at the restart`(
        _ flow: String, _ starts: Bool
    ) throws {
        let fixture = RestartFixture(try flows(), leavesSessions: true)
        _ = try fixture.sessions.open(Self.names[0], fixture.sessions.flow(flow), context)
        if starts { try fixture.send("start", to: Self.names[0].text) }
        fixture.restart(after: .seconds(1))
        #expect(fixture.sessions.unreadCount == 0)
        #expect(fixture.sessions.count == 1)
    }

    @Test func `a timer of a session that is decoded later fires before one that was set later`()
        throws
    {
        let fixture = RestartFixture(try flows(), leavesSessions: true)
        let meets = try fixture.sessions.flow("meets")
        for name in Self.names.prefix(4) { _ = try fixture.sessions.open(name, meets, context) }
        fixture.restart(after: .seconds(1))
        fixture.advance(by: .seconds(9))
        #expect(fixture.sessions.unreadCount == 4)
        // Due at the same instant as the timers of the others.
        _ = try fixture.sessions.open(Self.names[4], meets, state: "short", context)
        let rowCount = fixture.rows.count
        fixture.advance(by: .seconds(10))
        #expect(fixture.rows.dropFirst(rowCount).map(\.session) == Self.names.prefix(5).map(\.text))
    }

    @Test
    func `a session is decoded when its bound comes, and its timers fire at their own deadlines`()
        throws
    {
        let fixture = RestartFixture(
            try flows(), leavesSessions: true, boundsAreEarlyBy: .seconds(5))
        let meets = try fixture.sessions.flow("meets")
        _ = try fixture.sessions.open(Self.names[0], meets, context)
        fixture.restart(after: .seconds(1))
        let rowCount = fixture.rows.count
        fixture.advance(by: .milliseconds(13_999))
        #expect(fixture.sessions.unreadCount == 1)
        fixture.advance(by: .milliseconds(1))
        #expect(fixture.sessions.unreadCount == 0)
        fixture.advance(by: .milliseconds(4999))
        #expect(fixture.rows.count == rowCount)
        fixture.advance(by: .milliseconds(1))
        #expect(fixture.rows.count == rowCount + 1)
    }

    @Test func `the background decodes a few sessions at a time`() throws {
        let fixture = try restarted(after: .seconds(1))
        fixture.sessions.decodeNext(4)
        #expect(fixture.sessions.unreadCount == 2)
        fixture.sessions.decodeNext(4)
        #expect(fixture.sessions.unreadCount == 0)
        #expect(fixture.sessions.all.map(\.name) == Self.names)
    }

    @Test func `the removal of old rows keeps the rows of sessions that are not decoded`() throws {
        let fixture = try restarted(after: .seconds(1))
        let row = try #require(fixture.rows.last { $0.session == Self.names[5].text })
        #expect(fixture.sessions.needs(row.position, of: Self.names[5], idNumber: nil))
    }

    @Test func `the answer to a request with an id is known after the restart`() throws {
        let fixture = try restarted(after: .seconds(1), sending: "first")
        let seq = try fixture.sessions.session(Self.names[0]).seq
        _ = try fixture.sessions.send(
            "start", to: fixture.sessions.session(Self.names[0]),
            RequestContext(from: Players.player, id: "first"))
        #expect(try fixture.sessions.session(Self.names[0]).seq == seq)
    }

    @Test func `a session that turns out to be damaged is quarantined when it is needed`() throws {
        let fixture = RestartFixture(try flows(), leavesSessions: true)
        let plain = try fixture.sessions.flow("plain")
        _ = try fixture.sessions.open(Self.names[0], plain, context)
        // The flow that is left has another name, so the session cannot be restored.
        let sessions = Sessions(AnyFlow.shipped(), on: ReplayClock())
        let reading = reading(of: fixture, answerLimit: 10)
        var reported: [Sessions.QuarantineError] = []
        sessions.sessionWasQuarantined = { reported.append($0) }
        #expect(sessions.restore(reading.content(), lastAlive: .zero, decoding: 0) == [])
        #expect(sessions.unreadCount == 1)
        let error = #expect(throws: RequestError.self) { try sessions.session(Self.names[0]) }
        #expect("\(try #require(error))".contains("could not be restored"))
        #expect(reported.map(\.session) == [Self.names[0]])
        #expect(reported.first?.flow == "plain")
        #expect(sessions.quarantinedCount == 1)
        #expect(sessions.count == 0)
    }

    private func reading(of fixture: RestartFixture, answerLimit: Int) -> JournalReading {
        var reading = JournalReading(prunedUpTo: 0, answerLimit: answerLimit)
        for row in fixture.rows { reading.add(row) }
        return reading
    }

    @Test func `a damaged session that is not decoded yet can be discarded`() throws {
        let fixture = RestartFixture(try flows(), leavesSessions: true)
        _ = try fixture.sessions.open(
            Self.names[0], fixture.sessions.flow("plain"), context)
        let sessions = Sessions(AnyFlow.shipped(), on: ReplayClock())
        let content = reading(of: fixture, answerLimit: 10).content()
        #expect(sessions.restore(content, lastAlive: .zero, decoding: 0) == [])
        #expect(sessions.quarantine(of: Self.names[0]) != nil)
    }

    @Test func `an id whose answer is forgotten is refused before its session is decoded`() throws {
        let fixture = try restarted(after: .seconds(1), sending: "first")
        let sessions = Sessions(try flows(), on: ReplayClock(startingAt: fixture.time.now))
        // The journal remembers no answers.
        let content = reading(of: fixture, answerLimit: 0).content()
        #expect(sessions.restore(content, lastAlive: fixture.time.now, decoding: 0) == [])
        #expect(sessions.unreadCount == 6)
        let request = RequestContext(from: Players.player, id: "second", sentSince: .zero)
        let error = #expect(throws: RequestError.self) {
            try sessions.answer(to: request, of: Self.names[0])
        }
        guard case .staleID = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(sessions.unreadCount == 5)
        sessions.endMachines()
    }

    /// A change of the first session sends `stop` to the last.
    private final class StopsLast: SessionLinks {
        func steps(after change: Change, of session: Session) -> [LinkedStep] {
            guard session.name == names[0] else { return [] }
            return [
                LinkedStep(
                    names[5], .send(event: "stop", []), after: change, id: "\(change.pos)")
            ]
        }

        func refused(_ step: LinkedStep, from session: SessionName, _ error: RequestError) {
            Issue.record("\(error)")
        }
    }

    @Test func `a change of a linked session decodes the session that it changes`() throws {
        let fixture = try restarted(after: .seconds(1))
        let links = StopsLast()
        fixture.sessions.links = links
        _ = try fixture.sessions.send(
            "stop", to: fixture.sessions.session(Self.names[0]), context)
        #expect(fixture.sessions.unreadCount == 4)
        #expect(try fixture.sessions.session(Self.names[5]).machine.place.state == "idle")
    }
}
