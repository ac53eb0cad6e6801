import GameFlow
import Testing
import Timers

@testable import FlowFiles

/// Timers that begin paused, stopwatches and countdowns with overtime.
@Suite struct TimerFormTests {
    private static let text = """
        flow: talk
        start: speaking
        events:
          hold:
          go:
          more: {by: duration}
          less: {by: duration}
          book: {spent: duration}
          next:
          again:
        effects: [bell]
        states:
          speaking:
            data: {late: duration -1h..1h = 0s, worked: duration = 0s}
            timers:
              lamp: {after: 3s, paused: true}
              work: {up: true}
              end: {after: 10m, overtime: true, restart: remaining}
            clock: end
            on:
              lamp: {do: bell}
              end: {do: bell, with: {late: =left(end), worked: =spent(work)}}
              hold: {pause: [work, end]}
              go: {resume: [lamp, work, end]}
              more: {extend: {end: =by}}
              less: {shorten: {end: =by}}
              book: {set: {work: =spent}}
              next: {to: speaking, left: {end: =left(end)}, with: {worked: =spent(work)}}
              again: {restart: [work, end]}
        """

    private func talk() throws -> PlayedFlow { try PlayedFlow(Self.text) }

    private func length(_ name: String, _ ms: Int) -> Member { Member(name, ms) }

    /// What the timer has left, or what a stopwatch has spent; `paused` or `fired` after it.
    private func shown(_ fires: String, _ game: PlayedFlow) -> String {
        guard let info = game.machine.timer(fires)?.info else { return "none" }
        let time = info.kind == .stopwatch ? info.spent : info.remaining
        return "\(time)" + (info.isPaused ? " paused" : "") + (info.isInOvertime ? " fired" : "")
    }

    @Test func `a timer that begins paused does not fire before it is resumed`() throws {
        let game = try talk()
        game.clock.advance(by: .seconds(60))
        #expect(shown("lamp", game) == "3.0 seconds paused")
        #expect(game.steps.count == 1)
        game.send("go")
        game.clock.advance(by: .seconds(3))
        #expect(game.effects.map(\.name) == ["bell"])
        #expect(shown("lamp", game) == "none")
        try game.machine.goto("speaking", [], from: .program)
        #expect(shown("lamp", game) == "3.0 seconds paused")
    }

    @Test func `a stopwatch counts the time for which it runs`() throws {
        let game = try talk()
        game.clock.advance(by: .seconds(60))
        #expect(shown("work", game) == "60.0 seconds")
        game.send("hold")
        game.clock.advance(by: .seconds(30))
        #expect(shown("work", game) == "60.0 seconds paused")
        game.send("go")
        game.clock.advance(by: .seconds(5))
        #expect(shown("work", game) == "65.0 seconds")
        game.send("book", length("spentMs", 120_000))
        game.clock.advance(by: .seconds(1))
        #expect(shown("work", game) == "121.0 seconds")
        game.send("next")
        #expect(game.data["workedMs"] == .int(121_000))
        #expect(shown("work", game) == "0.0 seconds")
        game.clock.advance(by: .seconds(7))
        game.send("again")
        #expect(shown("work", game) == "0.0 seconds")
    }

    @Test func `a countdown with overtime fires once, and runs on`() throws {
        let game = try talk()
        game.clock.advance(by: .minutes(10))
        #expect(game.effects.map(\.name) == ["bell"])
        #expect(game.data["lateMs"] == .int(0))
        #expect(shown("end", game) == "0.0 seconds fired")
        let count = game.steps.count
        game.clock.advance(by: .seconds(90))
        #expect(game.steps.count == count)
        #expect(shown("end", game) == "-90.0 seconds fired")
        game.send("hold")
        game.clock.advance(by: .seconds(60))
        game.send("go")
        #expect(shown("end", game) == "-90.0 seconds fired")
    }

    @Test func `more than no time lets it fire again`() throws {
        let game = try talk()
        game.clock.advance(by: .minutes(11))
        game.send("more", length("byMs", 30_000))
        #expect(shown("end", game) == "-30.0 seconds fired")
        game.send("more", length("byMs", 40_000))
        #expect(shown("end", game) == "10.0 seconds")
        let count = game.steps.count
        game.clock.advance(by: .seconds(15))
        #expect(game.steps.count == count + 1)
        #expect(shown("end", game) == "-5.0 seconds fired")
    }

    @Test func `shorten has no floor, and lets it fire after the change`() throws {
        let game = try talk()
        game.send("less", length("byMs", 660_000))
        #expect(shown("end", game) == "-60.0 seconds")
        game.clock.fireDueTimers()
        #expect(shown("end", game) == "-60.0 seconds fired")
        #expect(game.data["lateMs"] == .int(-60_000))
        let count = game.steps.count
        game.send("less", length("byMs", 1000))
        game.clock.fireDueTimers()
        #expect(shown("end", game) == "-61.0 seconds fired")
        #expect(game.steps.count == count + 1)
    }

    @Test func `left below zero begins in overtime without firing`() throws {
        let game = try talk()
        game.clock.advance(by: .minutes(11))
        game.send("next")
        let count = game.steps.count
        #expect(shown("end", game) == "-60.0 seconds fired")
        game.clock.advance(by: .seconds(5))
        #expect(game.steps.count == count)
        #expect(shown("end", game) == "-65.0 seconds fired")
    }

    @Test func `a restart keeps what the timers have spent and whether they have fired`() throws {
        let game = try talk()
        game.clock.advance(by: .minutes(11))
        let snapshot = game.machine.snapshot
        // The daemon was down for a minute; the countdown has `restart: remaining`.
        let restored = PlayedFlow(game.flow)
        restored.clock.advance(by: .minutes(12))
        var timers: [RestoredTimer] = []
        try restored.machine.restore(
            snapshot, after: Downtime(lastAlive: .zero + .minutes(11)), adding: &timers)
        RestoredTimer.set(timers, on: restored.clock.timerQueue, queueIsEmpty: true)
        #expect(shown("work", restored) == "720.0 seconds")
        #expect(shown("end", restored) == "-60.0 seconds fired")
        #expect(shown("lamp", restored) == "3.0 seconds paused")
        restored.clock.advance(by: .minutes(5))
        #expect(restored.steps.isEmpty)
        #expect(restored.machine.snapshot.timers.map(\.traits) == snapshot.timers.map(\.traits))
    }

    @Test func `a new version keeps the times, and does not fire again`() throws {
        let game = try talk()
        game.clock.advance(by: .minutes(11))
        let newer = try flowFile(
            Self.text.replacing("lamp: {after: 3s, paused: true}", with: "lamp: {after: 9s}")
        ).flow
        let snapshot = try newer.continuation(
            of: game.machine.snapshot, from: game.flow, at: game.clock.now)
        let moved = try newer.machine(
            continuing: snapshot, on: game.clock.timerQueue, EventQueue(), observer: game)
        defer { moved.end() }
        #expect(moved.timer("end")?.info.remaining == .seconds(-60))
        #expect(moved.timer("end")?.info.isInOvertime == true)
        #expect(moved.timer("work")?.info.spent == .minutes(11))
    }

    @Test func `presentation and schema have the new words`() throws {
        let flow = try flowFile(Self.text).flow
        #expect(flow.presentation.states["speaking"]?.clock == "end")
        #expect(flow.mistakes == [])
    }

    @Test(arguments: [
        (
            "t: {}",
            "the timer t has no time; write after: 90s, every: 1s, up: true, when: {left: 1m, of: COUNTDOWN} or until: '20:00'"
        ),
        ("t: {after: 1s, up: true}", "a timer has either after or up; use two timers for both"),
        ("t: {up: yes}", "expected up: true"),
        ("t: {after: 1s, paused: 'no'}", "expected paused: true"),
        (
            "t: {every: 1s, overtime: true}",
            "overtime is for countdowns (after), and t is a pendulum"
        ),
        (
            "t: {up: true, overtime: true}",
            "overtime is for countdowns (after), and t is a stopwatch"
        ),
        ("t: {after: -5s}", "expected a duration such as 90s or 1h30m, not \"-5s\""),
    ])
    func `a wrong timer is a mistake`(_ timer: String, _ why: String) throws {
        let text = """
            flow: x
            start: a
            events: {go: }
            states:
              a:
                timers: {\(timer)}
                on: {go: stay}
            """
        #expect(findings(text).contains { $0.contains(why) }, "\(findings(text))")
    }

    @Test(arguments: [
        ("w: stay", "w is a stopwatch, which never fires; remove the row"),
        (
            "go: {extend: {w: 1s}}",
            "extend is for countdowns, and w is a stopwatch, which can only be set"
        ),
        (
            "go: {shorten: {w: 1s}}",
            "shorten is for countdowns, and w is a stopwatch, which can only be set"
        ),
        (
            "go: {to: a, left: {w: 1s}}",
            "left is for countdowns, and w is a stopwatch, which starts at zero"
        ),
        ("go: {with: {d: =left(w)}}", "w is a stopwatch, which has nothing left; write spent(w)"),
        ("go: {with: {d: =spent(o)}}", "spent is for stopwatches; write left(o)"),
        ("go: {with: {d: =left(o)}}", "left(o) is negative in overtime"),
        ("go: {with: {d: '=left(o) if d > 1s else 0s'}}", "left(o) is negative in overtime"),
        ("go: {to: a, left: {c: =left(o)}}", "left(o) is negative in overtime"),
        ("go: {set: {c: '=1s + left(o)'}}", "left(o) is negative in overtime"),
    ])
    func `a wrong use of a timer is a mistake`(_ row: String, _ why: String) throws {
        #expect(
            findings(Self.rows(row)).contains { $0.contains(why) }, "\(findings(Self.rows(row)))")
    }

    @Test(arguments: [
        "go: {with: {d: '=max(0s, left(o))'}}", "go: {with: {n: =left(o)}}",
        "go: {to: a, left: {o: =left(o)}}", "go: {if: left(o) < 0s, to: a, else: stay}",
        "go: {to: a, left: {o: -5s}}", "go: {with: {n: -5s}}",
    ])
    func `what may be negative is no mistake`(_ row: String) throws {
        #expect(findings(Self.rows(row)) == [])
    }

    private static func rows(_ row: String) -> String {
        """
        flow: x
        start: a
        events: {go: }
        states:
          a:
            data: {d: duration = 0s, n: duration -1h..1h = 0s}
            timers: {w: {up: true}, o: {after: 1m, overtime: true}, c: {after: 1h}}
            on:
              o: stay
              c: stay
              \(row)
        """
    }
}
