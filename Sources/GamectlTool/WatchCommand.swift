import EventLoop
import GameFlow
import Glibc
import RPC
import Shell
internal import Support
import Timers

/// `gamectl watch`: prints the changes of one session or of all until it is interrupted. Connects again if
/// the connection is lost.
final class WatchCommand {
    private let options: WatchOptions
    private let settings: Settings
    private let loop: LibeventLoop
    private let screen: Screen
    private var resume: ResumePoint
    /// The delays between attempts to connect.
    static let backoff = Backoff(first: .milliseconds(100), longest: .seconds(2))
    /// Whether no connection has begun to watch yet. Until then, each error ends the command.
    private var isFirstWatch = true
    /// Whether the connection is lost and the user was warned.
    private var isDisconnected = false
    private var signals: [SignalHandle] = []

    init(_ options: WatchOptions, _ settings: Settings, _ loop: LibeventLoop) throws(CommandError) {
        (self.options, self.settings, self.loop) = (options, settings, loop)
        screen = Screen(Terminal(1))
        resume = ResumePoint(isAll: options.isAll, since: options.since)
        do {
            for number in [SIGTERM, SIGINT] {
                signals.append(
                    try SignalHandle(number, on: loop) { [screen] in
                        screen.clear()
                        exit(ExitStatus.done.rawValue)
                    })
            }
        } catch { throw .unreachable("no signals: \(error)") }
    }

    /// Returns when the watched session is closed.
    func run() throws(CommandError) {
        var backoff = Self.backoff
        while true {
            let began = loop.now
            do throws(CommandError) {
                if try follow() == .closed { return screen.clear() }
                isDisconnected = true
            } catch {
                screen.clear()
                guard error.isOutage, !isFirstWatch else { throw error }
                if !isDisconnected { screen.warn("connection lost; trying again") }
                isDisconnected = true
            }
            // Reset the delay only if the connection lasted longer than the longest delay.
            if loop.now - began > backoff.longest { backoff.succeed() }
            Client.pause(backoff.fail(), on: loop)
        }
    }

    /// Watches on one connection until the connection or the watch ends.
    private func follow() throws(CommandError) -> WatchStream.End {
        let client = try Client(settings.socket, on: loop, timeout: settings.timeout)
        let hello = try client.call(Request(.hello)).value
        let hasNewInstance = resume.updateInstance(try hello.text("instance"))
        let topics = wantsCountdown ? ["changes", "beats"] : ["changes"]
        let watched = try client.call(options.request(since: resume.since, topics: topics)).value
        if hasNewInstance {
            screen.warn("the daemon has new data; the watch begins again")
        } else if isDisconnected {
            screen.warn("reconnected")
        }
        (isFirstWatch, isDisconnected) = (false, false)
        let sessions = try watched.list("sessions")
        try resume.begin(with: sessions)
        let isVirtual = try hello.text("clock") == "virtual"
        let stream = WatchStream(client, screen, options, settings, isVirtual: isVirtual)
        if wantsCountdown { try stream.countDown(sessions) }
        return try stream.run(&resume)
    }

    /// Whether to show a countdown: on a terminal, for one session.
    private var wantsCountdown: Bool {
        screen.terminal.isTerminal && !settings.isJSON && !options.isAll
    }
}

/// The options of `gamectl watch`.
struct WatchOptions: Equatable {
    /// A session's name, or `*`.
    var target: String
    /// The topics that the user gave. Nil if the user gave none: then changes are watched, and on a terminal also beats.
    var topics: [Value]?
    /// The number of the change after which the watch begins, as the user gave it.
    var since: Int?
    /// A cursor from an earlier watch, after which this watch begins.
    var cursor: String?

    /// The name of the source whose unmatched inputs are shown; empty for all sources. Nil if the watch shows changes.
    var inputs: String?

    var isAll: Bool { target == "*" }

    /// The options for a watch of the inputs that no `map` line matches. `source` is the name of the source whose inputs are
    /// shown; nil for all sources.
    init(inputsOf source: String?) {
        (target, topics, inputs) = ("*", [.string("inputs")], source ?? "")
    }

    /// Whether a notification is shown.
    func shows(_ notification: Message.ServerNotification) -> Bool {
        guard let inputs else { return true }
        return notification.method == "input"
            && (inputs.isEmpty || notification.params.find("source")?.text == inputs)
    }

    init(_ request: Request) throws(CommandError) {
        target = "main"
        for param in request.params {
            switch (param.name, param.value) {
            case ("session", .string(let name)): target = name
            case ("topics", .array(let names)): topics = names
            case ("since", .int(let number)): since = number
            case ("since", .string(let text)) where Cursor(text) != nil: cursor = text
            case ("since", _): throw .usage("since: expected a number or a cursor")
            default: throw .usage("\(TerminalSafe.escaped(param.name)): unknown")
            }
        }
    }

    /// The `watch` request. `since` is the number of the most recent change that was received before; nil if none was.
    /// `defaultTopics` are used if the user gave no topics.
    func request(since: Int?, topics defaultTopics: [String]) -> Request {
        var params = [
            Member("session", .string(target)),
            Member("topics", .array(topics ?? defaultTopics.map { .string($0) })),
        ]
        if let since {
            params.append(Member("since", .int(since)))
        } else if let cursor {
            params.append(Member("since", .string(cursor)))
        }
        return Request(.watch, params)
    }
}
