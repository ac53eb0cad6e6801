import EventLoop
import GameFlow
import Glibc
import RPC
import Shell
internal import Support
import Timers

/// `gamectl watch`: prints the changes of one session or of all sessions until gamectl is interrupted. Connects again if the
/// connection is lost. `gamectl sources --watch`, which prints inputs of devices, and `gamectl follow` also use it.
final class WatchCommand {
    private let options: WatchOptions
    private let settings: Settings
    private let loop: LibeventLoop
    private let screen: Screen
    /// Where the watch continues on the next connection.
    private var resumePoint: ResumePoint
    /// The delays between attempts to connect.
    static let backoff = Backoff(
        first: .milliseconds(100), longest: .seconds(2), spread: .random)
    /// Whether no connection has begun to watch yet. Until then, each error ends the command.
    private var isFirstWatch = true
    /// Whether the connection is lost and the user was warned.
    private var isDisconnected = false
    /// The handlers of the UNIX signals that end the command.
    private var signalHandles: [SignalHandle] = []

    init(_ options: WatchOptions, _ settings: Settings, _ loop: LibeventLoop) throws(CommandError) {
        (self.options, self.settings, self.loop) = (options, settings, loop)
        screen = Screen(Terminal.standardOutput)
        resumePoint = ResumePoint(isAll: options.isAll, since: options.since)
        do {
            for signal in [SIGTERM, SIGINT] {
                signalHandles.append(
                    try SignalHandle(signal, on: loop) { [screen] in
                        screen.clear()
                        exit(ExitStatus.done.rawValue)
                    })
            }
        } catch { throw .unreachable("cannot handle signals: \(error)") }
    }

    /// Returns when the watched session is closed.
    func run() throws(CommandError) {
        var backoff = Self.backoff
        while true {
            let startedAt = loop.now
            do throws(CommandError) {
                if try follow() == .closed { return screen.clear() }
                // The daemon dropped the watch; `WatchStream` has warned the user.
                isDisconnected = true
            } catch {
                screen.clear()
                guard error.isOutage, !isFirstWatch else { throw error }
                if !isDisconnected { screen.warn("connection lost; trying again") }
                isDisconnected = true
            }
            // Reset the delay only if the connection lasted longer than the longest delay.
            if loop.now - startedAt > backoff.longest { backoff.succeed() }
            Client.pause(backoff.fail(), on: loop)
        }
    }

    /// Watches on one new connection until the watch ends, and returns why. Throws if the connection fails or ends.
    private func follow() throws(CommandError) -> WatchStream.End {
        let client = try Client(settings.socket, on: loop, timeout: settings.timeout)
        let hello = try client.call(Request(.hello)).value
        let hasNewInstance = resumePoint.updateInstance(try hello.text("instance"))
        let topics = wantsCountdown ? ["changes", "beats"] : ["changes"]
        let request = options.request(since: resumePoint.since, topics: topics)
        let watchResult = try client.call(request).value
        if hasNewInstance {
            screen.warn("the daemon has new data; the watch begins again")
        } else if isDisconnected {
            screen.warn("reconnected")
        }
        (isFirstWatch, isDisconnected) = (false, false)
        let sessions = try watchResult.list("sessions")
        try resumePoint.begin(with: sessions)
        let isVirtual = try hello.text("clock") == "virtual"
        let stream = WatchStream(client, screen, options, settings, isVirtual: isVirtual)
        if wantsCountdown { try stream.countDown(sessions) }
        return try stream.run(&resumePoint)
    }

    /// Whether to show a countdown: always with `follow`, otherwise on a terminal, for one session.
    private var wantsCountdown: Bool {
        options.isFollow || (screen.terminal.isTerminal && !settings.isJSON && !options.isAll)
    }
}

/// The options of `gamectl watch` and of `gamectl sources --watch`.
struct WatchOptions: Equatable {
    /// A session's name, or `*` for all sessions.
    var target: String
    /// The topics, such as `beats`, that the user gave, as JSON strings. Nil if the user gave none: then changes are watched,
    /// and, if a countdown is shown, also beats.
    var topics: [Value]?
    /// The number of the change after which the watch begins, as the user gave it.
    var since: Int?
    /// A cursor from an earlier watch, after which this watch begins.
    var cursor: String?

    /// The name of the source whose inputs are shown, for a watch of the inputs that no `map` line matches. An empty text means
    /// all sources. Nil if the watch shows changes.
    var inputSource: String?

    /// Whether only the present state and its clock are shown, by `gamectl follow`.
    var isFollow = false

    /// Whether all sessions are watched.
    var isAll: Bool { target == "*" }

    /// The options for a watch of the inputs that no `map` line matches. `source` is the name of the source whose inputs are
    /// shown; nil for all sources.
    init(inputsOf source: String?) {
        (target, topics, inputSource) = ("*", [.string("inputs")], source ?? "")
    }

    /// Whether a notification is shown.
    func shows(_ notification: Message.ServerNotification) -> Bool {
        guard let inputSource else { return true }
        return notification.method == "input"
            && (inputSource.isEmpty || notification.params.find("source")?.text == inputSource)
    }

    /// The options of `gamectl follow`.
    init(following session: String) { (target, isFollow) = (session, true) }

    /// The options for a watch of changes. `request` is the `watch` request that the command line forms.
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

    /// The `watch` request. `since` is the number of the change after which the watch is to begin. If `since` is nil, the watch
    /// begins after `cursor`, if the user gave a cursor. `defaultTopics` are used if the user gave no topics.
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
