import GameFlow
import JSONCoding
import RPC
import Shell
import Timers

/// A watch on one connection: prints its notifications and draws the countdown.
final class WatchStream {
    /// Why the watch ended: the session was closed, or the daemon dropped the watch.
    enum End { case closed, overrun }

    private let client: Client
    private let screen: Screen
    private let options: WatchOptions
    private let settings: Settings
    private let isVirtual: Bool
    private let writer: WatchLine
    private var countdown: CountdownLine?
    private var redrawTimer: ScopedPendulum?
    /// The id of the outstanding `status` request, whose result updates the countdown.
    private var statusID: Int?
    /// Whether the session changed after the outstanding `status` request was sent, so that another one must follow.
    private var needsStatus = false

    init(
        _ client: Client, _ screen: Screen, _ options: WatchOptions, _ settings: Settings,
        isVirtual: Bool
    ) {
        (self.client, self.screen) = (client, screen)
        (self.options, self.settings, self.isVirtual) = (options, settings, isVirtual)
        writer = WatchLine(
            printer: Printer(screen.terminal), isVirtual: isVirtual, showsSession: options.isAll)
    }

    /// Shows the countdown and redraws it each second. If the clock is virtual, the status is requested each second, because
    /// no notification tells that the clock has moved.
    func countDown(_ sessions: [Value]) throws(CommandError) {
        redrawTimer = ScopedPendulum(on: client.loop, .seconds(1)) { [weak self] _ in
            guard let self else { return }
            if isVirtual { requestStatus() } else { draw() }
        }
        if let session = sessions.first { try showCountdown(session) }
    }

    /// If the daemon sends nothing for longer than this, not even a heartbeat, gamectl ends the connection. The time of three
    /// heartbeats.
    private static let longestSilence = Duration.seconds(45)

    /// Returns when the session is closed or the daemon ended the watch.
    func run(_ resume: inout ResumePoint) throws(CommandError) -> End {
        while let message = try client.next(until: silenceDeadline()) {
            switch message {
            case .reply(let id, let result):
                guard id == statusID else { throw .protocolError("a reply to no request") }
                statusID = nil
                if case .success(let answer) = result { try showCountdown(answer.value) }
                if needsStatus { requestStatus() }
            case .notification(let notification):
                try resume.receive(notification)
                if let end = try receive(notification) { return end }
            }
        }
        throw .timedOut("no heartbeat from gamed")
    }

    private func silenceDeadline() -> Deadline { Deadline(Self.longestSilence, on: client.loop) }

    /// Prints a notification, and updates the countdown. Returns why the watch ends; nil if it goes on.
    private func receive(_ notification: Message.ServerNotification) throws(CommandError) -> End? {
        guard options.shows(notification) else { return nil }
        if settings.isJSON {
            let line =
                Array("{\"method\":".utf8) + Self.quoted(notification.method)
                + Array(",\"params\":".utf8) + notification.raw + [UInt8(ascii: "}")]
            screen.line(screen.terminal.isTerminal ? TerminalSafe.json(line) : line)
        } else if isPrinted(notification), let line = try writer.text(notification) {
            screen.line(line)
        }
        switch notification.method {
        case "overrun":
            screen.warn("this watch read too slowly, so gamed dropped it; reconnecting")
            return .overrun
        case "change":
            if !options.isAll, try notification.params.text("kind") == "close" { return .closed }
            if redrawTimer != nil { requestStatus() }
        case "beat", "gap": if redrawTimer != nil { try showCountdown(notification.params) }
        default: break
        }
        return nil
    }

    /// Whether to print the notification. If the user gave no topics, beats only update the countdown.
    private func isPrinted(_ notification: Message.ServerNotification) -> Bool {
        notification.method != "beat" || options.topics != nil
    }

    /// Requests the status, because changes do not contain timers. Only one request is outstanding at a time,
    /// however many changes arrive.
    private func requestStatus() {
        needsStatus = statusID != nil
        guard statusID == nil else { return }
        statusID = client.send(Request(.status, [Member("session", .string(options.target))]))
    }

    private static func quoted(_ text: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.string(text)
        return writer.bytes
    }

    private func showCountdown(_ status: Value) throws(CommandError) {
        countdown = try CountdownLine(status, receivedMs: nowMs, decreases: !isVirtual)
        draw()
    }

    private func draw() {
        guard let countdown else { return }
        screen.draw(countdown.text(atMs: nowMs, columns: screen.columns - 1))
    }

    private var nowMs: Int { Int(client.loop.now.milliseconds) }
}

/// The position after which a watch continues when the connection was lost.
struct ResumePoint {
    /// Whether all sessions are watched.
    private let isAll: Bool
    /// The number of the most recent change received: `seq` for one session, `pos` for all.
    private(set) var since: Int?
    private var instance: String?

    init(isAll: Bool, since: Int?) { (self.isAll, self.since) = (isAll, since) }

    /// Stores the daemon's instance. Returns whether it differs from that of the previous connection. A new instance counts
    /// changes from 1 again, so `since` is then cleared.
    mutating func updateInstance(_ instance: String) -> Bool {
        defer { self.instance = instance }
        guard let previous = self.instance, previous != instance else { return false }
        since = nil
        return true
    }

    /// Takes `since` from the result of `watch`, unless it is known already. The result for all sessions has no such number;
    /// the first change or heartbeat has one.
    mutating func begin(with sessions: [Value]) throws(CommandError) {
        if !isAll, since == nil { since = try sessions.first?.number("seq") }
    }

    /// Remembers the number of the change that a notification shows, if it has one.
    mutating func receive(_ notification: Message.ServerNotification) throws(CommandError) {
        let numbered = isAll ? ["change", "gap", "heartbeat"] : ["change", "gap"]
        guard numbered.contains(notification.method) else { return }
        since = try notification.params.number(isAll ? "pos" : "seq")
    }
}
