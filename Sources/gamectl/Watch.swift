import EventLoop
import Glibc
import RPC
import Shell
internal import Support
import Timers

/// Follows a session, or all of them, until somebody interrupts it; a daemon that goes away is waited for.
final class Watch {
    private let order: WatchOptions
    private let settings: Settings
    private let loop: LibeventLoop
    private let screen: Screen
    private var resume: ResumePoint
    /// How long it waits before it connects again.
    static let backoff = Backoff(first: .milliseconds(100), longest: .seconds(2))
    /// Nothing was watched yet.
    private var isFirst = true
    /// The connection is lost, and that was said.
    private var isOut = false
    private var signals: [SignalHandle] = []

    init(_ order: WatchOptions, _ settings: Settings, _ loop: LibeventLoop) throws(Failure) {
        (self.order, self.settings, self.loop) = (order, settings, loop)
        screen = Screen(Terminal(1))
        resume = ResumePoint(isAll: order.isAll, since: order.since)
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

    /// Returns when there is nothing left to follow: the one session was closed.
    func run() throws(Failure) {
        var backoff = Self.backoff
        while true {
            let began = loop.now
            do throws(Failure) {
                if try follow() == .closed { return screen.clear() }
                isOut = true
            } catch {
                screen.clear()
                guard error.isOutage, !isFirst else { throw error }
                if !isOut { screen.complain("the connection was lost; trying again") }
                isOut = true
            }
            // A connection that is lost again and again, as soon as it is made, is no success.
            if loop.now - began > backoff.longest { backoff.succeed() }
            Client.pause(backoff.fail(), on: loop)
        }
    }

    /// Follows on one connection, for as long as it holds.
    private func follow() throws(Failure) -> WatchStream.End {
        let client = try Client(settings.socket, on: loop, patience: settings.timeout)
        let hello = try client.call(Request(.hello)).value
        let isOther = resume.meets(try hello.text("instance"))
        let topics = wantsCountdown ? ["changes", "beats"] : ["changes"]
        let begun = try client.call(order.request(since: resume.since, topics: topics)).value
        if isOther {
            screen.complain("the daemon was restarted; watching anew")
        } else if isOut {
            screen.complain("connected again")
        }
        (isFirst, isOut) = (false, false)
        let sessions = try begun.list("sessions")
        try resume.begin(with: sessions)
        let isVirtual = try hello.text("clock") == "virtual"
        let following = WatchStream(client, screen, order, settings, isVirtual: isVirtual)
        if wantsCountdown { try following.countDown(sessions) }
        return try following.run(&resume)
    }

    /// A person at a terminal who follows one session is shown how long its state will last.
    private var wantsCountdown: Bool {
        screen.terminal.isTerminal && !settings.isJSON && !order.isAll
    }
}
