import GameFlow
import JSONCoding
import RPC
import Shell
import Timers

/// A watch on one connection: prints the notifications and draws the countdown, a line with the time left on the session's
/// timers. `WatchCommand` makes a new object for each connection.
final class WatchStream {
    /// Why the watch ended.
    enum End {
        /// The watched session was closed.
        case closed
        /// The daemon dropped the watch, because gamectl read too slowly.
        case overrun
    }

    private let client: Client
    /// The output: lines, and the countdown below them.
    private let screen: Screen
    private let options: WatchOptions
    private let settings: Settings
    /// Whether the daemon's clock is virtual.
    private let isVirtual: Bool
    private let watchLine: WatchLine
    /// Nil until a status has arrived, or if no countdown is shown.
    private var countdown: CountdownLine?
    /// Redraws the countdown; nil if no countdown is shown.
    private var redrawTimer: ScopedPendulum?
    /// The id of the outstanding `status` request, whose result updates the countdown.
    private var statusID: Int?
    /// The newest state that `follow` has printed in a file or a pipe.
    private var printedState: String?
    /// Whether another `status` request must follow the outstanding one, whose result may be out of date.
    private var needsStatus = false

    init(
        _ client: Client, _ screen: Screen, _ options: WatchOptions, _ settings: Settings,
        isVirtual: Bool
    ) {
        (self.client, self.screen) = (client, screen)
        (self.options, self.settings, self.isVirtual) = (options, settings, isVirtual)
        watchLine = WatchLine(
            printer: Printer(screen.terminal), isVirtual: isVirtual, showsSession: options.isAll)
    }

    /// Shows the countdown and redraws it each second. If the daemon's clock is virtual, requests the status each second
    /// instead, because no notification says that the clock has advanced. `sessions` are from the result of `watch`.
    func countDown(_ sessions: [Value]) throws(CommandError) {
        redrawTimer = ScopedPendulum(on: client.loop, .seconds(1)) { [weak self] _ in
            guard let self else { return }
            if isVirtual { requestStatus() } else { draw() }
        }
        if let session = sessions.first { try showCountdown(session) }
    }

    /// If the daemon sends nothing for longer than this, not even a heartbeat, gamectl ends the connection. The daemon sends a
    /// heartbeat after 15 seconds without another line, so three heartbeats must be missing.
    private static let longestSilence = Duration.seconds(45)

    /// Returns when the session is closed or the daemon has dropped the watch. Updates `resumePoint` with each notification.
    func run(_ resumePoint: inout ResumePoint) throws(CommandError) -> End {
        while let message = try client.next(until: silenceDeadline()) {
            switch message {
            case .reply(let id, let result):
                guard id == statusID else { throw .protocolError("a reply to no request") }
                statusID = nil
                if case .success(let answer) = result { try showCountdown(answer.value) }
                if needsStatus { requestStatus() }
            case .notification(let notification):
                try resumePoint.receive(notification)
                if let end = try receive(notification) { return end }
            }
        }
        throw .timedOut("no heartbeat from gamed")
    }

    /// The deadline for the next line of the daemon.
    private func silenceDeadline() -> Deadline { Deadline(Self.longestSilence, on: client.loop) }

    /// Prints a notification, and updates the countdown. Returns why the watch ends; nil if it goes on.
    private func receive(_ notification: Message.ServerNotification) throws(CommandError) -> End? {
        guard options.shows(notification) else { return nil }
        if settings.isJSON {
            let line =
                Array("{\"method\":".utf8) + Self.quoted(notification.method)
                + Array(",\"params\":".utf8) + notification.raw + [UInt8(ascii: "}")]
            screen.line(screen.terminal.isTerminal ? TerminalSafe.json(line) : line)
        } else if isPrinted(notification), let line = try watchLine.text(notification) {
            screen.line(line)
        }
        switch notification.method {
        case "overrun":
            screen.warn("this watch read too slowly, so gamed dropped it; reconnecting")
            return .overrun
        case "change":
            if !options.isAll, try notification.endsSession() { return .closed }
            if redrawTimer != nil { requestStatus() }
        case "beat", "gap": if redrawTimer != nil { try showCountdown(notification.params) }
        default: break
        }
        return nil
    }

    /// Whether to print the notification. If the user gave no topics, beats only update the countdown. `follow` prints none.
    private func isPrinted(_ notification: Message.ServerNotification) -> Bool {
        !options.isFollow && (notification.method != "beat" || options.topics != nil)
    }

    /// Requests the status, because changes do not contain timers. Only one request is outstanding at a time,
    /// however many changes arrive.
    private func requestStatus() {
        needsStatus = statusID != nil
        guard statusID == nil else { return }
        statusID = client.send(Request(.status, [Member("session", .string(options.target))]))
    }

    /// The text as a JSON string.
    private static func quoted(_ text: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.string(text)
        return writer.bytes
    }

    /// Updates and draws the countdown. `status` is a session's status, or the parameters of a beat or gap.
    private func showCountdown(_ status: Value) throws(CommandError) {
        countdown = try CountdownLine(status, receivedMs: nowMs, decreases: !isVirtual)
        draw()
    }

    /// Draws the countdown for the present time. The last column stays free, because some terminals wrap after it.
    private func draw() {
        guard let countdown else { return }
        let columns = screen.columns - 1
        guard options.isFollow else {
            return screen.draw([countdown.text(atMs: nowMs, columns: columns)])
        }
        let lines = countdown.twoLines(atMs: nowMs, columns: columns)
        guard screen.terminal.isTerminal else { return printNew(lines) }
        // One line, if the cursor cannot move up.
        screen.draw(
            screen.hasSeveralStatusLines
                ? lines : [String(lines.joined(separator: "  ").prefix(columns))])
    }

    /// Prints the lines of `follow` in a file or a pipe, if the state or its data have changed.
    private func printNew(_ lines: [String]) {
        guard lines.first != printedState else { return }
        printedState = lines.first
        for line in lines { screen.line(line) }
    }

    /// The present time on gamectl's own clock.
    private var nowMs: Int { Int(client.loop.now.milliseconds) }
}

extension Message.ServerNotification {
    /// Whether a change closes its session. If the session was opened again in the same step, the watch goes on.
    func endsSession() throws(CommandError) -> Bool {
        try params.text("kind") == "close" && params.find("again") != .bool(true)
    }
}
