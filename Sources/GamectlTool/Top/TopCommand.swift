import EventLoop
import GameFlow
import Glibc
import RPC
import Shell
import Support
import Timers

/// `gamectl top`: shows the sessions on the whole terminal, sends events by keys, and connects again if the connection is lost.
final class TopCommand {
    private let settings: Settings
    private let loop: LibeventLoop
    private let screen: CursesScreen
    private var model: TopModel
    /// The present connection; nil while gamectl is not connected.
    private var client: Client?
    /// What the replies of the present connection are for, by the ids of the requests.
    private var purposes: [Int: TopRequest.Purpose] = [:]
    private var keyWatcher: DescriptorWatcher?
    private var secondTimer: ScopedPendulum?
    private var signalHandles: [SignalHandle] = []
    private var seconds = 0

    /// Connects once, so that a mistake is shown before the terminal changes.
    static func run(_ settings: Settings, _ loop: LibeventLoop) throws(CommandError) {
        let terminal = Terminal.standardOutput
        try CursesScreen.requireTerminal(terminal)
        let client = try Client(settings.socket, on: loop, timeout: settings.timeout)
        let hello = try client.call(Request(.hello)).value
        let isVirtual = try hello.text("clock") == "virtual"
        let sessions = try client.call(watchRequest).value.list("sessions")
        let command = try TopCommand(settings, loop, TopModel(isVirtual: isVirtual, terminal))
        try command.run(client, sessions)
    }

    private static let watchRequest = Request(
        .watch,
        [
            Member("session", .string("*")),
            Member("topics", .array(["changes", "refusals", "stuck"].map { .string($0) })),
        ])

    private init(_ settings: Settings, _ loop: LibeventLoop, _ model: TopModel)
        throws(CommandError)
    {
        (self.settings, self.loop, self.model) = (settings, loop, model)
        screen = try CursesScreen(Terminal.standardOutput)
        do {
            for signal in [SIGTERM, SIGINT, SIGHUP] {
                signalHandles.append(
                    try SignalHandle(signal, on: loop) { [unowned self] in
                        isEnded = true
                        loop.stop()
                    })
            }
            keyWatcher = try DescriptorWatcher(STDIN_FILENO, .readable, on: loop) {
                [unowned self] in readKeys()
            }
        } catch { throw .unreachable("no event loop: \(error)") }
        secondTimer = ScopedPendulum(on: loop, .seconds(1)) { [unowned self] _ in
            seconds += 1
            send(self.model.tick(seconds: seconds))
            if screen.hasEnded { isEnded = true }
            draw()
        }
    }

    /// Whether a signal or the end of the terminal has ended the command.
    private var isEnded = false
    private var mustLeave: Bool { isEnded || model.isDone }

    private var nowMs: Int { Int(loop.now.milliseconds) }

    private func run(_ first: Client, _ sessions: [Value]) throws(CommandError) {
        client = first
        send(try model.begin(with: sessions, nowMs: nowMs))
        var backoff = WatchCommand.backoff
        while !mustLeave {
            do throws(CommandError) {
                try receive()
            } catch {
                guard error.isOutage else { throw error }
                model.outage = error.lines.first
                (client, purposes) = (nil, [:])
            }
            draw()
            guard client == nil, !mustLeave else { continue }
            pause(backoff.fail())
            if !mustLeave, reconnect() { backoff.succeed() }
        }
    }

    /// Receives until the user leaves, or the connection is lost.
    private func receive() throws(CommandError) {
        draw()
        while !mustLeave, let client {
            guard let message = try client.next(until: Deadline(.milliseconds(250), on: loop))
            else { continue }
            switch message {
            case .notification(let notification):
                send(try model.receive(notification, nowMs: nowMs))
            case .reply(let id, let result):
                guard let purpose = id.flatMap({ purposes.removeValue(forKey: $0) }) else {
                    continue
                }
                send(try model.receive(result, for: purpose, nowMs: nowMs))
            }
            draw()
        }
    }

    private func reconnect() -> Bool {
        do throws(CommandError) {
            let client = try Client(settings.socket, on: loop, timeout: settings.timeout)
            let sessions = try client.call(Self.watchRequest).value.list("sessions")
            self.client = client
            send(try model.begin(with: sessions, nowMs: nowMs))
            return true
        } catch {
            model.outage = error.lines.first
            return false
        }
    }

    /// Waits, and handles keys and signals meanwhile.
    private func pause(_ duration: Duration) {
        let deadline = Deadline(duration, on: loop)
        while !deadline.isOver, !mustLeave { loop.run() }
    }

    private func send(_ requests: [TopRequest]) {
        guard let client else { return }
        for request in requests { purposes[client.send(request.request)] = request.purpose }
    }

    private func readKeys() {
        if screen.hasEnded { isEnded = true }
        for key in screen.readKeys() where !mustLeave { send(model.press(key)) }
        draw()
        loop.stop()
    }

    private func draw() {
        guard !mustLeave else { return }
        let size = screen.size
        let view = TopView(
            model: model, rows: size.rows, columns: size.columns, nowMs: nowMs,
            wallMs: Int((loop.now + loop.wallClockLead).milliseconds))
        screen.draw(view.lines, size)
    }
}
