import GameFlow
import JSON
import RPC
import Shell
import Timers

/// A watch on one connection: its lines, and its countdown.
final class WatchStream {
    enum End { case closed, overrun }

    private let client: Client
    private let screen: Screen
    private let order: WatchOptions
    private let settings: Settings
    private let isVirtual: Bool
    private let writer: WatchLine
    private var countdown: CountdownLine?
    private var second: ScopedPendulum?
    /// The status that was asked for; what comes of it moves the countdown.
    private var asked: Int?
    /// Something changed after it was asked for.
    private var asksAgain = false

    init(
        _ client: Client, _ screen: Screen, _ order: WatchOptions, _ settings: Settings,
        isVirtual: Bool
    ) {
        (self.client, self.screen) = (client, screen)
        (self.order, self.settings, self.isVirtual) = (order, settings, isVirtual)
        writer = WatchLine(
            printer: Printer(screen.terminal), isVirtual: isVirtual, showsSession: order.isAll)
    }

    /// Shows how long the session's state will last, and draws it anew each second. Where a virtual clock
    /// stands is told by nobody: it is asked.
    func countDown(_ sessions: [Value]) throws(Failure) {
        second = ScopedPendulum(on: client.loop, .seconds(1)) { [weak self] _ in
            guard let self else { return }
            if isVirtual { askStatus() } else { draw() }
        }
        if let session = sessions.first { try tell(session) }
    }

    /// Three heartbeats. A daemon that is silent for longer is stuck.
    private static let longestSilence = Duration.seconds(45)

    /// Returns when nothing more can come on this connection.
    func run(_ resume: inout ResumePoint) throws(Failure) -> End {
        while let message = try client.next(until: silence()) {
            switch message {
            case .reply(let id, let result):
                guard id == asked else { throw .fault("an answer that nobody asked for") }
                asked = nil
                if case .success(let answer) = result { try tell(answer.value) }
                if asksAgain { askStatus() }
            case .notice(let notice):
                try resume.take(notice)
                if let end = try take(notice) { return end }
            }
        }
        throw .timedOut("gamed is silent")
    }

    private func silence() -> Deadline { Deadline(Self.longestSilence, on: client.loop) }

    private func take(_ notice: Message.Notice) throws(Failure) -> End? {
        if settings.isJSON {
            let line =
                Array("{\"method\":".utf8) + Self.quoted(notice.method)
                + Array(",\"params\":".utf8) + notice.raw + [UInt8(ascii: "}")]
            screen.line(screen.terminal.isTerminal ? TerminalSafe.json(line) : line)
        } else if isWanted(notice), let line = try writer.text(notice) {
            screen.line(line)
        }
        switch notice.method {
        case "overrun":
            screen.complain("fell too far behind; connecting again")
            return .overrun
        case "change":
            if !order.isAll, try notice.params.text("kind") == "close" { return .closed }
            if second != nil { askStatus() }
        case "beat", "gap": if second != nil { try tell(notice.params) }
        default: break
        }
        return nil
    }

    /// Beats that nobody asked for only move the countdown.
    private func isWanted(_ notice: Message.Notice) -> Bool {
        notice.method != "beat" || order.topics != nil
    }

    /// A change does not tell of timers. One question at a time: a hundred changes need one answer.
    private func askStatus() {
        asksAgain = asked != nil
        guard asked == nil else { return }
        asked = client.send(Request(.status, [Member("session", .string(order.target))]))
    }

    private static func quoted(_ text: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.string(text)
        return writer.bytes
    }

    private func tell(_ facts: Value) throws(Failure) {
        countdown = try CountdownLine(facts, toldMs: nowMs, moves: !isVirtual)
        draw()
    }

    private func draw() {
        guard let countdown else { return }
        screen.draw(countdown.text(atMs: nowMs, columns: screen.columns - 1))
    }

    private var nowMs: Int { Int(client.loop.now.milliseconds) }
}
