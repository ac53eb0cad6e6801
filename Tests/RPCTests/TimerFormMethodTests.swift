import FlowFiles
import GameFlow
import RPC
import Testing

/// What clients see of timers that begin paused, stopwatches and countdowns with overtime, and what operators may do to them.
@Suite struct TimerFormMethodTests {
    private func connection() throws -> TestConnection {
        let text = """
            flow: talk
            start: speaking
            events: {stop: }
            effects: [bell]
            states:
              speaking:
                timers:
                  lamp: {after: 3s, paused: true}
                  work: {up: true}
                  end: {after: 1m, overtime: true}
                clock: work
                on: {lamp: stay, end: {do: bell}, stop: done}
              done: {final: true}
            """
        let flow = try FlowFile(text: Array(text.utf8), file: "talk.yaml").flow
        return try TestConnection([flow])
    }

    /// The timer with this index, as JSON.
    private func timer(_ index: Int, _ connection: TestConnection) -> String {
        "\(connection.json("status")["timers.\(index)"] ?? .null)"
    }

    @Test func `status shows the kinds, and what a stopwatch has spent`() throws {
        let connection = try connection()
        _ = connection.reply(to: "advance 2s")
        #expect(
            timer(0, connection)
                == #"{"fires":"lamp","kind":"countdown","remainingMs":3000,"totalMs":3000,"paused":true,"declaredPaused":true}"#
        )
        #expect(
            timer(1, connection)
                == #"{"fires":"work","kind":"stopwatch","spentMs":2000,"paused":false}"#)
        #expect(
            timer(2, connection)
                == #"{"fires":"end","kind":"countdown","remainingMs":58000,"totalMs":60000,"paused":false,"overtime":true}"#
        )
        _ = connection.reply(to: "advance 1m")
        #expect(
            timer(2, connection)
                == #"{"fires":"end","kind":"countdown","remainingMs":-2000,"totalMs":60000,"paused":false,"overtime":true,"fired":true}"#
        )
        connection.end()
    }

    @Test func `a timer that fires at a time of day shows it`() throws {
        let text =
            "{flow: x, start: a, events: {go: }, states: {a: {timers: {t: {until: '20:00', title: Doors}}, on: {t: a, go: stay}}}}"
        let flow = try FlowFile(text: Array(text.utf8), file: "x.yaml").flow
        let connection = try TestConnection([flow])
        _ = connection.reply(to: "advance 1h")
        #expect(
            timer(0, connection)
                == #"{"fires":"t","kind":"until","remainingMs":68400000,"totalMs":72000000,"until":"20:00","paused":false}"#
        )
        #expect(
            "\(connection.json("describe x")["states.0.timers.0"] ?? .null)"
                == #"{"fires":"t","title":"Doors","kind":"until","until":"20:00"}"#)
        #expect(
            connection.reply(to: "timer t extend by=1m").contains(
                #"ERR invalid {"state":"a","argument":"action","why":"a timer that fires at a time of day has no end to move"}"#
            ))
        connection.end()
    }

    @Test func `a mark shows its countdown, and what is left only while it can fire`() throws {
        let text = """
            flow: talk
            start: a
            events: {stop: }
            states:
              a:
                timers: {end: {after: 1m}, last: {when: {left: 10s, of: end}}}
                on: {end: stay, last: stay, stop: stay}
            """
        let flow = try FlowFile(text: Array(text.utf8), file: "talk.yaml").flow
        let connection = try TestConnection([flow])
        #expect(
            timer(1, connection)
                == #"{"fires":"last","kind":"when","of":"end","leftMs":10000,"remainingMs":50000,"paused":false}"#
        )
        for action in ["pause", "resume", "set to=1s", "extend by=1s", "shorten by=1s"] {
            #expect(connection.json("timer last \(action)")["argument"] == .string("action"))
        }
        _ = connection.reply(to: "advance 50s")
        #expect(
            timer(1, connection)
                == #"{"fires":"last","kind":"when","of":"end","leftMs":10000,"paused":false}"#)
        connection.end()
    }

    @Test func `resume of all timers starts none that was not started before`() throws {
        let connection = try connection()
        _ = connection.reply(to: "timer * pause")
        _ = connection.reply(to: "timer * resume")
        #expect(timer(0, connection).contains("declaredPaused"))
        #expect(timer(1, connection).contains(#""paused":false"#))
        _ = connection.reply(to: "timer lamp resume")
        _ = connection.reply(to: "timer lamp pause")
        #expect(!timer(0, connection).contains("declaredPaused"))
        _ = connection.reply(to: "timer * resume")
        #expect(timer(0, connection).contains(#""paused":false"#))
        connection.end()
    }

    @Test func `a stopwatch can be set, and has no end to move`() throws {
        let connection = try connection()
        #expect(connection.json("timer work set to=5m")["timers.1.spentMs"] == .int(300_000))
        for action in ["extend", "shorten"] {
            let refusal = connection.json("timer work \(action) by=1s")
            #expect(refusal["argument"] == .string("action"))
            #expect(refusal["why"] == .string("a stopwatch has no end to move"))
        }
        connection.end()
    }

    @Test func `an undo of the firing gives back its step, and the countdown runs on from zero`()
        throws
    {
        let connection = try connection()
        _ = connection.reply(to: "advance 65s")
        _ = connection.reply(to: "undo")
        #expect(timer(2, connection).contains(#""remainingMs":0,"#))
        #expect(timer(2, connection).contains(#""fired":true"#))
        #expect(connection.json("status")["seq"] == .int(3))
        _ = connection.reply(to: "advance 30s")
        #expect(timer(2, connection).contains(#""remainingMs":-30000,"#))
        #expect(connection.json("status")["seq"] == .int(3))
        connection.end()
    }

    @Test func `an undo keeps what a stopwatch had spent`() throws {
        let connection = try connection()
        _ = connection.reply(to: "advance 10s")
        _ = connection.reply(to: "send stop")
        _ = connection.reply(to: "advance 10s")
        _ = connection.reply(to: "undo")
        #expect(timer(1, connection).contains(#""spentMs":10000,"#))
        connection.end()
    }

    @Test func `describe has the kind and the declared words`() throws {
        let connection = try connection()
        let timers = "\(connection.json("describe")["states.0.timers"] ?? .null)"
        #expect(
            timers
                == #"[{"fires":"lamp","kind":"countdown","totalMs":3000,"paused":true},{"fires":"work","kind":"stopwatch","up":true},{"fires":"end","kind":"countdown","totalMs":60000,"overtime":true}]"#
        )
        #expect(connection.json("status")["clock"] == .string("work"))
        connection.end()
    }
}
