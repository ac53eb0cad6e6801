import EventLoop
import GameFlow
import RPC
import Sessions
import Support
import Timers

/// Returns when a session is in a state.
struct Wait {
    private let order: WaitOptions
    private let client: Client
    private let deadline: Deadline?

    init(_ order: WaitOptions, _ settings: Settings, _ loop: LibeventLoop) throws(Failure) {
        self.order = order
        deadline = order.within.map { Deadline($0, on: loop) }
        let patience = order.within.map { min($0, settings.timeout) } ?? settings.timeout
        client = try Client(settings.socket, on: loop, patience: patience)
    }

    func run() throws(Failure) {
        let watch = Request(.watch, [Member("session", .string(order.session))])
        guard let session = try client.call(watch).value.list("sessions").first else {
            throw .fault("a watch of no session")
        }
        var state = try session.text("state")
        if state == order.state { return }
        try refuseUnknownState(of: try session.text("flow"))
        while let message = try client.next(until: deadline) {
            guard case .notice(let notice) = message else { continue }
            guard let now = try Self.state(after: notice) else { continue }
            if now == order.state { return }
            state = now
        }
        let (name, now) = (TerminalSafe.word(order.session), TerminalSafe.word(state))
        throw .timedOut("\(name) is in \(now), not in \(TerminalSafe.word(order.state))")
    }

    /// Waiting for a state that no session of the flow will ever be in would be waiting for ever.
    private func refuseUnknownState(of flow: String) throws(Failure) {
        let request = Request(.describe, [Member("flow", .string(flow))])
        var states: [String] = []
        for state in try client.call(request).value.list("states") {
            states.append(try state.text("name"))
        }
        guard !states.contains(order.state) else { return }
        let near = DidYouMean.suggest(order.state, states)
        throw .refused(Refused(.unknownState(order.state, didYouMean: near)))
    }

    /// The state that a notification tells of; nil if it tells of none.
    private static func state(after notice: Message.Notice) throws(Failure) -> String? {
        switch notice.method {
        case "change":
            if try notice.params.text("kind") == "close" {
                let name = try notice.params.text("session")
                throw .refused(Refused(.unknownSession(name, didYouMean: [])))
            }
            return try notice.params.find("to")?.text("state")
        case "gap": return try notice.params.text("state")
        case "overrun": throw .lost
        default: return nil
        }
    }
}
