import Durability
import FlowFiles
import GameFlow
import Journal
import Sessions
import TestSupport
import Testing
import Timers

/// A replay takes from the rows in which order requests and firings of one instant came.
@Suite struct ReplayOrderTests {
    /// Recorded sessions on a virtual clock. The session of each flow has the name of the flow.
    private final class Recording: SessionLinks {
        let sessions: Sessions
        private(set) var rows: [JournalRow] = []
        private let context = RequestContext(from: .program)
        /// The sessions to which each entry of the state `two` sends the event `ping`.
        private let targets: [String]

        init(_ flows: [String], linkedTo targets: [String] = []) throws {
            let flows = try flows.map { try FlowFile(text: Array($0.utf8), file: "f.yaml").flow }
            self.targets = targets
            sessions = Sessions(flows, on: VirtualClock())
            sessions.recorder = { [unowned self] record, previous in
                let row = JournalRow(record, at: rows.count + 1, after: previous)
                rows.append(row)
                return row.journalPosition
            }
            sessions.recordStart([], lastAlive: .zero)
            sessions.links = self
            for flow in flows { _ = try sessions.open(SessionName(flow.name)!, flow, context) }
        }

        deinit { sessions.endMachines() }

        func steps(after change: Change, of session: Session) -> [LinkedStep] {
            guard change.step.kind == .enter, change.step.to?.state == "two" else { return [] }
            return targets.map { target in
                LinkedStep(
                    SessionName(target)!, .send(event: "ping", []), after: change,
                    id: "\(target)-\(change.pos)")
            }
        }

        func refused(_ step: LinkedStep, from session: SessionName, _ error: RequestError) {
            Issue.record("\(step.target.text) refused: \(error.name)")
        }

        func send(_ event: String, to name: String) throws {
            try sessions.send(event, to: sessions.session(SessionName(name)!), context)
        }

        func undo(_ name: String) throws {
            try sessions.undo(sessions.session(SessionName(name)!), context)
        }

        func advance(by time: Duration) throws { _ = try sessions.advance(.by(time)) }

        /// The changes since the openings: each with its session and its event, or its kind.
        func changes() throws -> [String] {
            try rows.compactMap { row in
                guard row.kind == .change, let change = try row.record().change,
                    change.kind.name != "open"
                else { return nil }
                return "\(row.session) \(change.step.event?.name ?? change.kind.name)"
            }
        }

        /// The first difference between rows and their replay.
        func difference(_ rows: [JournalRow]) -> String? {
            let replay = JournalReplay(sessions.flows)
            for row in rows { if let found = replay.execute(row) { return found.why } }
            return replay.finish()?.why
        }

        /// What a replay with the recorded flow of a session shows as different.
        func traceDifference(_ flow: String) throws -> SessionTrace.Kind? {
            let replay = CounterfactualReplay(
                try sessions.flow(flow), programFlows: sessions.flows, replaysAllSessions: false)
            for row in rows { replay.execute(row) }
            replay.finish()
            return replay.traces.first?.difference?.kind
        }
    }

    private static let unrecorded =
        "a timer fired before this record, but its firing is not recorded"

    private static let first = """
        flow: a
        start: one
        states:
          one: {timers: {t: {after: 5s}}, on: {t: two}}
          two: {timers: {rest: {after: 1h}}, on: {rest: one}}
        """

    /// A flow that counts its pings, and has one timer.
    private static func second(_ timer: String, _ row: String, name: String = "b") -> String {
        """
        flow: \(name)
        start: idle
        events: {ping: }
        data: {n: integer = 0}
        states:
          idle:
            timers: {u: \(timer)}
            on: {ping: {with: {n: =n + 1}}, u: \(row)}
        """
    }

    @Test(arguments: ["{after: 5s}", "{every: 5s}"])
    func `a link's event comes before another timer of the same instant`(_ timer: String) throws {
        let recording = try Recording(
            [Self.first, Self.second(timer, "{with: {n: =n + 100}}")], linkedTo: ["b"])
        try recording.advance(by: .seconds(5))
        #expect(try recording.changes() == ["a t", "b ping", "b u"])
        #expect(recording.difference(recording.rows) == nil)
        // The row of the firing is missing: the row of the clock's move shows that time has passed.
        var rows = recording.rows
        let firing = try #require(rows.lastIndex { $0.session == "b" })
        rows.remove(at: firing)
        #expect(recording.difference(rows) == Self.unrecorded)
        // The rows are in another order than they say.
        rows = recording.rows
        rows.swapAt(firing, firing - 1)
        #expect(recording.difference(rows) == "the replay produces a different record")
    }

    @Test func `a link's event comes before a beat of the same instant`() throws {
        let recording = try Recording(
            [Self.first, Self.second("{every: 5s}", "stay")], linkedTo: ["b"])
        try recording.advance(by: .seconds(5))
        #expect(try recording.changes() == ["a t", "b ping"])
        try recording.advance(by: .seconds(6))
        try recording.send("ping", to: "b")
        #expect(recording.difference(recording.rows) == nil)
    }

    /// Two states whose countdowns of zero lead to each other. `go` enters the first again.
    private static let loop = """
        flow: loop
        start: one
        events: {go: }
        states:
          one: {timers: {t: {after: 0s}}, on: {t: two, go: one}}
          two: {timers: {u: {after: 0s}}, on: {u: one, go: one}}
        """

    @Test func `countdowns of zero that lead to each other end after a thousand firings`() throws {
        let recording = try Recording([Self.loop])
        for _ in 0..<3 { try recording.advance(by: .seconds(1)) }
        #expect(try recording.changes().count == 1001)
        #expect(recording.sessions.timersLeft().isEmpty)
        let session = try recording.sessions.session(SessionName("loop")!)
        let newest = recording.sessions.history(of: session, limit: 1).records.first
        guard case .refusal(let refused)? = newest
        else {
            Issue.record("the last firing is not refused")
            return
        }
        #expect(refused.error.name == "limit" && refused.event.name == "u")
        #expect(refused.error.data["which"] == "instantFirings")
        // A request begins a new chain.
        try recording.send("go", to: "loop")
        for _ in 0..<3 { try recording.advance(by: .seconds(1)) }
        #expect(try recording.changes().count == 2003)
        #expect(recording.difference(recording.rows) == nil)
    }

    @Test(arguments: ["a", "b", "c"])
    func `an advance that ends between the beats of one instant is replayed`(_ next: String) throws
    {
        let recording = try Recording(
            ["a", "b", "c"].map { Self.second("{every: 1s}", "stay", name: $0) })
        // Ten thousand firings are the limit: of the last instant, only the first session's beat.
        let (fired, more) = try recording.sessions.advance(.by(.seconds(3600)))
        #expect(fired.count == 10_000 && more)
        #expect(recording.sessions.timersLeft() == ["a 1000", "b 0", "c 0"])
        try recording.send("ping", to: next)
        #expect(recording.difference(recording.rows) == nil)
        // Another one, after a request with which the other beats of the instant fired.
        #expect(try recording.sessions.advance(.by(.seconds(3600))).more)
        try recording.send("ping", to: next)
        try recording.advance(by: .seconds(2))
        try recording.send("ping", to: next)
        #expect(recording.difference(recording.rows) == nil)
    }

    @Test(arguments: [["b", "c"], ["c", "b"]])
    func `links to several sessions are made between their timers`(_ targets: [String]) throws {
        let recording = try Recording(
            [
                Self.first, Self.second("{after: 5s}", "{with: {n: =n + 100}}"),
                Self.second("{every: 5s}", "stay", name: "c"),
            ], linkedTo: targets)
        try recording.advance(by: .seconds(5))
        #expect(
            try recording.changes()
                == ["a t"]
                + (targets == ["b", "c"]
                    ? ["b ping", "b u", "c ping"] : ["c ping", "b u", "b ping"]))
        try recording.advance(by: .seconds(5))
        try recording.send("ping", to: "c")
        #expect(recording.difference(recording.rows) == nil)
        #expect(try recording.traceDifference("b") == nil)
    }

    @Test func `requests come between countdowns without a duration`() throws {
        let recording = try Recording([
            """
            flow: a
            start: s0
            events: {go: }
            states:
              s0: {on: {go: s1}}
              s1: {timers: {t: {after: 0s}}, on: {t: s1, go: s0}}
            """
        ])
        for _ in 0..<2 { try recording.send("go", to: "a") }
        // So many fire before the next request, although one is always due.
        let firings = Array(repeating: "a t", count: TimerQueue.roundLimit)
        #expect(try recording.changes() == ["a go"] + firings + ["a go"])
        #expect(recording.difference(recording.rows) == nil)
        var rows = recording.rows
        rows.remove(at: rows.count - 2)
        #expect(recording.difference(rows) == "the replay produces a different record")
        try recording.undo("a")
        #expect(recording.difference(recording.rows) == nil)
    }

    /// A flow with countdowns without a duration, and with pendulums that beat, change something or post an event, many of them at
    /// the same instants as those of the other sessions.
    private static func busy(_ name: String) -> String {
        """
        flow: \(name)
        start: one
        events: {ping: , go: , aux: }
        data: {n: integer = 0}
        states:
          one:
            timers: {t: {after: 2s}, p: {every: 1s}, q: {every: 500ms}}
            on:
              t: two
              p: {if: n > 2, with: {n: =0}, else: stay}
              q: stay
              ping: {with: {n: =n + 1}}
              go: zero
          two:
            timers: {z: {after: 1s}, q: {every: 1s}}
            on:
              z: zero
              q: {post: aux}
              aux: {with: {n: =n + 1}}
              ping: {with: {n: =n + 1}}
              go: one
          zero:
            timers: {x: {after: 0s}, y: {after: 0s}}
            on: {x: stay, y: one, ping: {with: {n: =n + 1}}, go: two}
        """
    }

    @Test(arguments: seeds(20, long: 400))
    func `linked sessions with timers at the same instants are replayed`(_ seed: UInt64) throws {
        let names = ["a", "b", "c"]
        var random = SeededRandom(seed)
        let targets = names.filter { _ in random.below(3) > 0 }
        let recording = try Recording(names.map(Self.busy), linkedTo: targets)
        for _ in 0..<60 {
            switch random.below(8) {
            case 0, 1, 2:
                try recording.advance(by: .milliseconds(Int64(random.pick([0, 500, 1000, 2000]))))
            case 3: try? recording.undo(random.pick(names))
            default: try? recording.send(random.pick(["go", "ping"]), to: random.pick(names))
            }
        }
        #expect(recording.difference(recording.rows) == nil, "seed \(seed)")
    }
}

/// A replay of firings that change nothing themselves and post an event.
@Suite struct ReplayOfPostsTests: PlaysRecordedGame {
    private static let text = """
        flow: f
        start: a
        data: {n: integer = 3, m: integer = 0}
        events: {aux: , note: }
        states:
          a:
            timers: {tick: {every: 1s}, blink: {every: 400ms}, once: {after: 7s}}
            on:
              tick: {with: {n: "=max(n - 1, 0)"}, post: aux}
              blink: stay
              once: {post: aux}
              aux: {with: {m: =m + 1}}
              note: stay
        """

    let game: RecordedGame

    init() throws { game = try RecordedGame(Self.text) }

    @Test(arguments: [0, 7, 350])
    func `a beat or a countdown that only posts an event is recorded by that event`(
        lateMs: Int64
    ) throws {
        fixture.advance(by: .milliseconds(6500), late: .milliseconds(lateMs))
        try send("note")
        fixture.advance(by: .seconds(2), late: .milliseconds(lateMs))
        #expect(try session().machine.place.data == [Member("n", 0), Member("m", 9)])
        expectReplays()
    }

    @Test func `a missing posted event is found`() throws {
        fixture.advance(by: .seconds(6))
        let number = try #require(fixture.rows.lastIndex { $0.kind == .change })
        try send("note")
        var rows = fixture.rows
        rows.remove(at: number)
        fixture.advance(by: .seconds(1))
        rows.append(fixture.rows[fixture.rows.count - 1])
        let replay = JournalReplay([game.flow])
        #expect(rows.contains { replay.execute($0) != nil })
    }
}

extension Sessions {
    /// What the first timer of each session has left, in milliseconds.
    fileprivate func timersLeft() -> [String] {
        all.compactMap { session in
            session.status.timers.first.map { timer in
                "\(session.name.text) \(Int(timer.info.remaining.milliseconds))"
            }
        }.sorted()
    }
}
