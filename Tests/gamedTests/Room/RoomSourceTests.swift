import EventLoop
import GameFlow
import Inputs
import RPC
import Sessions
import TestSupport
import Testing
import Timers

@testable import GamedServer
@testable import Parts
@testable import Room

/// `RoomSource` converts inputs of connections to events.
@Suite struct RoomSourceTests {
    /// Records the names of the events that it is given. If `isFull` is true, `RoomSource` must drop events and not send them.
    private final class RecordingSender: DeviceEventSender {
        var isFull = false
        private(set) var sentEvents: [String] = []

        func send(_ event: SentEvent, _ done: @escaping (SentEvent.Outcome) -> Void) {
            guard case .named(let name) = event.choice else { return done(.notSent) }
            sentEvents.append(name)
            done(.accepted(name, kind: "enter", state: nil))
        }

        func announce(_ input: @autoclosure () -> UnmatchedInput) {}
    }

    private let folder = Folder()

    private func options(_ lines: String, _ arguments: [String] = []) throws -> Options {
        let file = folder.write("gamed.conf", lines)
        let command = try Options.read(
            ["--config", file] + arguments, flows: AnyFlow.shipped())
        guard case .run(let options) = command else { throw ChildProcess.Failure(why: "no start") }
        return options
    }

    /// The sample of a metric of `source`; nil if there is none.
    private func metric(_ name: String, _ source: any Part) -> String? {
        var page = MetricsPage()
        source.writeMetrics(to: &page)
        let text = String(decoding: page.end(), as: UTF8.self)
        return text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
            .flatMap { $0.split(separator: " ").last.map(String.init) }
    }

    @Test
    func `an input beyond the limit is counted and logged, and counters do not fall when lines go`()
        throws
    {
        let lines = """
            osc stage listen=127.0.0.1:0
            map osc=stage address=/begin event=startPlaying session=main

            """
        let (loop, sender) = (try LibeventLoop(), RecordingSender())
        let source = RoomSource(
            try options(lines, ["--limit", "presses=2"]), sender, AlertBoard { .zero }, on: loop
        ) {
            .zero
        }
        let connection = try #require(source.connections["stage"])
        for _ in 0..<3 {
            connection.onInput(OSCInput(message: OSCMessage("/begin"), peer: "192.0.2.1"))
        }
        connection.onInput(OSCInput(message: OSCMessage("/other"), peer: "192.0.2.1"))
        let name = "{name=\"stage\"}"
        #expect(metric("gamed_connection_up{name=\"stage\",kind=\"osc\"}", source) == "1")
        #expect(metric("gamed_inputs_unmatched_total\(name)", source) == "1")
        source.reload(try options("osc other listen=127.0.0.1:0\n"))
        #expect(metric("gamed_inputs_unmatched_total\(name)", source) == "1")
        #expect(connection.statistics.dropped == 1 && connection.statistics.accepted == 2)
        source.stop()
    }

    @Test
    func `an input that is dropped because too many events wait starts no debounce time`() throws {
        let file = folder.write(
            "gamed.conf",
            """
            osc stage listen=127.0.0.1:0
            map osc=stage address=/begin event=startPlaying session=main debounce=1h

            """)
        let command = try Options.read(["--config", file], flows: AnyFlow.shipped())
        guard case .run(let options) = command else {
            Issue.record("the options do not start a daemon")
            return
        }
        let (loop, sender) = (try LibeventLoop(), RecordingSender())
        let source = RoomSource(options, sender, AlertBoard { .zero }, on: loop) { .zero }
        let connection = try #require(source.connections["stage"])
        let begin = OSCInput(message: OSCMessage("/begin"), peer: "192.0.2.1")
        sender.isFull = true
        connection.onInput(begin)
        sender.isFull = false
        connection.onInput(begin)
        connection.onInput(begin)
        #expect(sender.sentEvents == ["startPlaying"])
        // The first input is dropped because the sender is full, and the third because of the debounce time.
        #expect(connection.statistics.dropped == 2)
        source.stop()
    }
}
