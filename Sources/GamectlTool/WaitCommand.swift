import EventLoop
import GameFlow
import RPC
import Sessions
import Shell
import Support
import Timers

/// `gamectl wait`: waits until a session is in a given state.
struct WaitCommand {
    private let options: WaitOptions
    private let client: Client
    private let deadline: Deadline?

    init(_ options: WaitOptions, _ settings: Settings, _ loop: LibeventLoop) throws(CommandError) {
        self.options = options
        deadline = options.within.map { Deadline($0, on: loop) }
        let timeout = options.within.map { min($0, settings.timeout) } ?? settings.timeout
        client = try Client(settings.socket, on: loop, timeout: timeout)
    }

    func run() throws(CommandError) {
        let watch = Request(.watch, [Member("session", .string(options.session))])
        guard let session = try client.call(watch).value.list("sessions").first else {
            throw .protocolError("watch returned no session")
        }
        var state = try session.text("state")
        if state == options.state { return }
        try refuseUnknownState(of: try session.text("flow"))
        while let message = try client.next(until: deadline) {
            guard case .notification(let notification) = message else { continue }
            guard let newState = try Self.state(after: notification) else { continue }
            if newState == options.state { return }
            state = newState
        }
        let (name, now) = (TerminalSafe.escaped(options.session), TerminalSafe.escaped(state))
        throw .timedOut("\(name) is in \(now), not in \(TerminalSafe.escaped(options.state))")
    }

    /// Throws if the flow has no such state; the wait would never end.
    private func refuseUnknownState(of flow: String) throws(CommandError) {
        let request = Request(.describe, [Member("flow", .string(flow))])
        var states: [String] = []
        for state in try client.call(request).value.list("states") {
            states.append(try state.text("name"))
        }
        guard !states.contains(options.state) else { return }
        let near = DidYouMean.suggest(options.state, states)
        throw .refused(ErrorReply(.unknownState(options.state, didYouMean: near)))
    }

    /// The state after a notification; nil if the notification has no state.
    private static func state(after notification: Message.ServerNotification) throws(CommandError)
        -> String?
    {
        switch notification.method {
        case "change":
            if try notification.params.text("kind") == "close" {
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
