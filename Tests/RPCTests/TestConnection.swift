import GameFlow
import JSONCoding
import RPC
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

/// A client that calls the protocol handler directly, with its own sessions on a virtual clock. It records its
/// notifications.
final class TestConnection: Caller {
    var rights = Rights.everything
    var isGone = false
    let source = Source(.unix, peer: .process(pid: 1, uid: 2, gid: 3))
    let outbox = ReplyBuffer()
    /// The number of requests that the client may still make; nil if their number is not limited.
    var requestsLeft: Int?
    let time: VirtualClock
    let sessions: Sessions
    let dispatcher: Dispatcher
    let handler: ProtocolHandler
    private(set) var notifications: [String] = []
    /// The targets that this client watches at present.
    private(set) var watchedTargets: Set<WatchTarget> = []
    /// The seqs of the missed changes that the most recent watch got.
    private(set) var missedSeqs: [Int] = []
    /// The number of gaps: watches that got the present state in place of missed changes.
    private(set) var gaps = 0
    var encoder: Encoder { handler.encoder }

    init(
        _ flows: [AnyFlow] = AnyFlow.shipped(), limits: Limits = Limits(), opensMain: Bool = true,
        surveyor: (any FlowSurveyor)? = nil
    ) throws {
        let time = VirtualClock()
        sessions = Sessions(flows, on: time, limits: limits)
        let identity = Dispatcher.ServerIdentity(
            version: "1.2.3", instance: "0123456789abcdef", limits: [("clients", 7)])
        dispatcher = Dispatcher(sessions, identity, surveyor: surveyor)
        handler = ProtocolHandler(dispatcher)
        self.time = time
        if opensMain {
            _ = try sessions.open(
                .main, flows[0], RequestContext(from: source))
        }
    }

    /// The reply to a line, with its newline; empty if the line has no reply.
    func reply(to line: String) -> String { reply(to: Array(line.utf8)) }

    func reply(to line: [UInt8]) -> String {
        var buffer = LineBuffer()
        (line + [0x0A]).withUnsafeBytes { buffer.append($0) }
        while let line = buffer.next() { handler.answer(line, from: self) }
        return String(decoding: outbox.takeSendableBytes(), as: UTF8.self)
    }

    /// The outcome of a JSON-RPC message, and the reply to it.
    func outcome(_ message: String) -> (MessageOutcome, reply: String) {
        let outcome = handler.answerJSON(Array(message.utf8)[...], from: self)
        return (outcome, String(decoding: outbox.takeSendableBytes(), as: UTF8.self))
    }

    /// The reply as JSON. A reply in the text dialect gives the object after `OK` or after the error's name.
    func json(_ line: String) -> Value {
        let answer = reply(to: line)
        let body =
            answer.first == "{" || answer.first == "[" ? answer[...] : answer.drop { $0 != "{" }
        var text = JSONText()
        do { try text.read(Array(body.utf8)[...]) } catch { return .unfit("\(error)", raw: answer) }
        return text.value(at: JSONText.root)
    }

    /// Closes all sessions, and expects that no timer is left.
    func end(sourceLocation: SourceLocation = #_sourceLocation) {
        for session in sessions.all {
            _ = try? sessions.close(session, RequestContext(from: source))
        }
        #expect(time.timerQueue.count == 0, sourceLocation: sourceLocation)
    }

    // MARK: Caller

    func countRequest() -> RequestError? {
        guard let requestsLeft else { return nil }
        guard requestsLeft > 0 else { return .limit(which: "requests", limit: 1) }
        self.requestsLeft = requestsLeft - 1
        return nil
    }

    func notify(_ notification: Notification) {
        let view = notification.session.map(rights.view) ?? .full
        let line = handler.encoder.encode(notification, view).line
        notifications.append(String(decoding: line, as: UTF8.self))
    }
    func ended(_ session: SessionName) { watchedTargets.remove(.session(session)) }
    func watches(_ target: WatchTarget) -> Bool { watchedTargets.contains(target) }
    func endWatch(_ target: WatchTarget) { watchedTargets.remove(target) }
    func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed) {
        watchedTargets.insert(target)
        missedSeqs = []
        if case .gap = missed { gaps += 1 }
        guard case .changes(var replay) = missed else { return }
        while case .change(let change)? = sessions.nextPart(of: &replay) {
            missedSeqs.append(change.seq)
        }
    }
}

extension Value {
    /// The value at a path of member names and array indices: `value["error.data.why"]`.
    subscript(_ path: String) -> Value? {
        path.split(separator: ".").reduce(self as Value?) { value, name in
            switch value {
            case .object(let members): members[String(name)]
            case .array(let values): Int(name).flatMap { values.indices ~= $0 ? values[$0] : nil }
            default: nil
            }
        }
    }
}
