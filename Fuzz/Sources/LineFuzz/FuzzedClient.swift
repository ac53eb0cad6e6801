import Fuzzing
import GameFlow
import JSONCoding
import RPC
import Sessions
import Timers

/// One client with its own sessions in virtual time; checks each reply against the protocol.
final class FuzzedClient {
    private let sessions: Sessions
    private let protocolHandler: ProtocolHandler
    private let caller = LineCaller()
    private var buffer = LineBuffer()
    /// The bytes of all replies.
    private(set) var output: [UInt8] = []

    init(_ flows: [AnyFlow]) {
        // Small limits, so that inputs reach them and take little time.
        var limits = Limits()
        limits.sessions = 16
        limits.ring = 32
        limits.idsPerSession = 4
        limits.ids = 8
        limits.firings = 64
        limits.refusals = 8
        sessions = Sessions(flows, on: VirtualClock(), limits: limits)
        caller.sessions = sessions
        do {
            _ = try sessions.open(
                .main, sessions.flow("game"), RequestContext(from: caller.source))
        } catch {
            fatalError("main does not open: \(error)")
        }
        let identity = Dispatcher.ServerIdentity(version: "0", instance: "fuzz", limits: [])
        protocolHandler = ProtocolHandler(Dispatcher(sessions, identity))
    }

    /// Passes all of `bytes` to the protocol, and then the end of the input.
    func receive(_ bytes: UnsafeRawBufferPointer, inPiecesOf size: Int) {
        var start = 0
        while start < bytes.count {
            let end = min(start + size, bytes.count)
            buffer.append(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            start = end
            while let line = buffer.next() { answer(line) }
        }
        protocolHandler.answerUnfinished(buffer.remainder, from: caller)
        _ = checkReply(caller.outbox.takeSendableBytes())
    }

    private func answer(_ line: LineBuffer.Line) {
        let before = snapshot()
        protocolHandler.answer(line, from: caller)
        if checkReply(caller.outbox.takeSendableBytes()) == .refused {
            check(snapshot() == before, "a refusal changed something")
        }
        caller.checkNotifications()
    }

    /// Checks and stores one reply.
    private func checkReply(_ answer: [UInt8]) -> Verdict {
        output += answer
        let verdict = Verdict(answer)
        check(verdict != .broken, "not a reply: \(String(decoding: answer, as: UTF8.self))")
        return verdict
    }

    /// All sessions with their timers, as bytes, and the clock's time.
    private func snapshot() -> [UInt8] {
        let encoder = Encoder()
        var writer = JSONWriter()
        writer.int(sessions.pos)
        writer.int(Int(sessions.now.nanoseconds))
        for session in sessions.all {
            encoder.write(session.status, .full, to: &writer)
        }
        return writer.bytes
    }

    /// Closes all sessions and checks that no timer is left.
    func end() {
        for session in sessions.all {
            try? sessions.close(session, RequestContext(from: caller.source))
        }
        caller.checkNotifications()
        check(sessions.count == 0, "a session is left")
        check(sessions.clock.timerQueue.count == 0, "a timer is left")
    }
}

/// The caller of the requests in the lines; checks that notifications are lines of JSON.
final class LineCaller: Caller {
    let rights = Rights.everything
    let source = Source(.unix, peer: .process(pid: 1, uid: 2, gid: 3))
    let outbox = ReplyBuffer()
    private var notifications: [[UInt8]] = []
    /// The sessions from which missed changes are read.
    weak var sessions: Sessions?

    private let encoder = Encoder()

    func notify(_ notification: Notification) {
        notifications.append(encoder.encode(notification, .full).line)
    }
    func ended(_ session: SessionName) {}

    func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed) {
        switch missed {
        case .nothing: break
        case .changes(var replay):
            while let part = sessions?.nextPart(of: &replay) {
                switch part {
                case .change(let change): notify(sessions!.notification(of: change))
                case .gap(let notice): notify(notice)
                }
            }
        case .gap(let notice): notify(notice)
        }
    }

    func endWatch(_ target: WatchTarget) {}
    func watches(_ target: WatchTarget) -> Bool { false }

    /// Checks the notifications since the last call.
    func checkNotifications() {
        for line in notifications {
            check(
                Verdict(line) == .done,
                "not a notification: \(String(decoding: line, as: UTF8.self))")
        }
        notifications.removeAll()
    }
}
