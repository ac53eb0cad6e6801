import EventLoop
import GameFlow
import RPC
import Sessions
import Shell
import Support
import Timers

/// `gamectl wait`: waits until a session is in a given state. Connects again if the connection is lost.
struct WaitCommand {
    private let options: WaitOptions
    private let socket: ClientSocket
    /// The time in which a connection must be made, and the time for each reply.
    private let timeout: Duration
    private let loop: LibeventLoop
    /// When the time of `--within` is over; nil if the wait has no limit.
    private let deadline: Deadline?
    /// The state that the session was in last; nil before the first connection has begun to watch.
    private var lastState: String?
    /// Where the watch continues on the next connection, so that no state is missed meanwhile.
    private var resumePoint = ResumePoint(isAll: false, since: nil)
    /// Whether the connection is lost and the user was warned.
    private var isDisconnected = false

    init(_ options: WaitOptions, _ settings: Settings, _ loop: LibeventLoop) {
        (self.options, self.loop, socket) = (options, loop, settings.socket)
        deadline = options.within.map { Deadline($0, on: loop) }
        // A single reply may not take longer than the whole wait.
        timeout = options.within.map { min($0, settings.timeout) } ?? settings.timeout
    }

    /// Returns when the session is in the state. Throws `timedOut` if the time of `--within` is over before that.
    mutating func run() throws(CommandError) {
        var backoff = WatchCommand.backoff
        while true {
            do throws(CommandError) { return try follow() } catch {
                guard let lastState, error.isLostConnection else { throw error }
                if !isDisconnected { printError("gamectl: connection lost; trying again") }
                isDisconnected = true
                let pause = Deadline(backoff.fail(), on: loop)
                while !pause.isOver, deadline?.isOver != true { loop.run() }
                if deadline?.isOver == true {
                    let session = TerminalSafe.escaped(options.session)
                    throw .timedOut(
                        "\(session) was in \(TerminalSafe.escaped(lastState)) when the connection was lost"
                    )
                }
            }
        }
    }

    /// Waits on one new connection until the session is in the state.
    private mutating func follow() throws(CommandError) {
        let client = try Client(socket, on: loop, timeout: timeout)
        _ = resumePoint.updateInstance(try client.call(Request(.hello)).value.text("instance"))
        let since = resumePoint.since.map { [Member("since", .int($0))] } ?? []
        let watch = Request(.watch, [Member("session", .string(options.session))] + since)
        guard let session = try client.call(watch).value.list("sessions").first else {
            throw .protocolError("watch returned no session")
        }
        var state = try session.text("state")
        if state == options.state { return }
        try refuseUnknownState(of: try session.text("flow"), client)
        try resumePoint.begin(with: [session])
        (lastState, isDisconnected) = (state, false)
        while let message = try client.next(until: deadline) {
            guard case .notification(let notification) = message else { continue }
            try resumePoint.receive(notification)
            guard let newState = try Self.state(after: notification) else { continue }
            if newState == options.state { return }
            state = newState
            lastState = state
        }
        let sessionName = TerminalSafe.escaped(options.session)
        let lastState = TerminalSafe.escaped(state)
        let wantedState = TerminalSafe.escaped(options.state)
        throw .timedOut("\(sessionName) is in \(lastState), not in \(wantedState)")
    }

    /// Throws if the flow has no state `options.state`, because the wait would never end.
    private func refuseUnknownState(of flow: String, _ client: Client) throws(CommandError) {
        let request = Request(.describe, [Member("flow", .string(flow))])
        var states: [String] = []
        for state in try client.call(request).value.list("states") {
            states.append(try state.text("name"))
        }
        guard !states.contains(options.state) else { return }
        let suggestions = DidYouMean.suggest(options.state, states)
        throw .refused(ErrorReply(.unknownState(options.state, didYouMean: suggestions)))
    }

    /// The session's state after a notification; nil if the notification has no state. Throws if the session was closed, or if
    /// the daemon dropped the watch because gamectl read too slowly (`overrun`).
    private static func state(after notification: Message.ServerNotification) throws(CommandError)
        -> String?
    {
        switch notification.method {
        case "change":
            if try notification.endsSession() {
                let name = try notification.params.text("session")
                throw .refused(ErrorReply(.unknownSession(name, didYouMean: [])))
            }
            return try notification.params.find("to")?.text("state")
        case "gap": return try notification.params.text("state")
        case "overrun": throw .lost
        default: return nil
        }
    }
}

/// The options of `gamectl wait`.
struct WaitOptions: Equatable {
    let session: String
    /// The name of the state to wait for.
    let state: String
    /// The longest time to wait; nil to wait for ever.
    let within: Duration?

    init(_ line: LongOptions, _ settings: Settings) throws(CommandError) {
        guard let state = line.value("state") else {
            throw .usage("wait: --state NAME is missing")
        }
        self.state = state
        within = try Command.duration("within", line)
        var givenSession: String?
        for word in line.words.dropFirst() {
            guard word.first == "@", givenSession == nil else {
                throw .usage(
                    "\(TerminalSafe.escaped(word)): wait takes only --state, --within and @session")
            }
            givenSession = String(word.dropFirst())
        }
        session = givenSession ?? settings.session
        if session == "*" { throw .usage("wait needs one session, not @*") }
    }
}
