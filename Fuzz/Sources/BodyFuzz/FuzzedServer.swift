import EventLoop
import Fuzzing
import GameFlow
import JSONCoding
import RPC
import Sessions
import Timers

@testable import Access
@testable import Connections
@testable import HTTP

/// A daemon without a socket: sessions in virtual time, and sequential HTTP requests.
final class FuzzedServer {
    static let address = "127.0.0.1:8080"
    let sessions: Sessions
    private let store: FakeStore
    private let protocolHandler: ProtocolHandler
    private let headerCheck = HeaderCheck()

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
        store = FakeStore(sessions)
        for (name, flow) in [("main", "game"), ("room-a", "quiz"), ("secret", "startup")] {
            do {
                _ = try sessions.open(
                    SessionName(name)!, sessions.flow(flow), RequestContext(from: Source(.unix)))
            } catch { fatalError("\(name) does not open: \(error)") }
        }
        let identity = Dispatcher.ServerIdentity(version: "0", instance: "fuzz", limits: [])
        let dispatcher = Dispatcher(sessions, identity, archive: store)
        do {
            let authorizer = Authorizer(Rules(ownUID: 0), try TokenFile(nil))
            let invitations = Invitations(
                authorizer, to: PageAddress(WebOptions()), on: try LibeventLoop())
            dispatcher.add(TokenMethod(authorizer, invitations))
        } catch { fatalError("there are no tokens: \(error)") }
        protocolHandler = ProtocolHandler(dispatcher)
    }

    func take(_ request: FuzzedRequest) {
        guard let identity = headerCheck.admit(request.head) else { return }
        let caller = BodyCaller(identity)
        let before = snapshot()
        watch(request.head, caller)
        caller.outcome = protocolHandler.answerJSON(request.body, from: caller)
        caller.outbox.endExecution(for: caller)
        store.completeRequests()
        check(!caller.outbox.isWaiting, "a reply is never sent")
        let answer = caller.outbox.takeSendableBytes()
        let expected = ExpectedRequests(request.body)
        let replies = Reply.all(in: answer, isBatch: expected.form == .batch)
        check(
            replies.map(\.id) == expected.replyIDs,
            "replies to \(replies.map(\.id)), not to \(expected.replyIDs)")
        ReplyCheck.checkRights(expected, replies, caller)
        ReplyCheck.checkStatus(caller.outcome, replies, isBatch: expected.form == .batch)
        let after = snapshot()
        ReplyCheck.checkChanges(from: before, to: after, by: caller)
        if expected.form != .batch, replies.first?.code != nil {
            check(before == after, "a refusal changed something")
        }
        try? sessions.unwatch(.all, by: caller)
        for session in sessions.all {
            try? sessions.unwatch(.session(session.name), by: caller)
        }
    }

    /// Treats the head as a request for an event stream: begins the watch, and reads the missed changes.
    private func watch(_ head: RequestHead, _ caller: BodyCaller) {
        guard let stream = try? StreamRequest(head), caller.rights.mayWatch(stream.target)
        else {
            return
        }
        let watched: Sessions.WatchResult?
        do {
            guard let id = stream.since, let pos = try EventID.position(id, of: "fuzz") else {
                return
            }
            check(0...Value.largest ~= pos, "\(pos) is accepted as a position")
            watched = try? sessions.watch(stream.target, afterPos: pos, stream.topics, by: caller)
        } catch { return }
        guard case .changes(var replay)? = watched?.missed else { return }
        while sessions.nextPart(of: &replay) != nil {}
    }

    /// Each session with its timers, encoded.
    private func snapshot() -> [String: [UInt8]] {
        var snapshot: [String: [UInt8]] = [:]
        for session in sessions.all {
            snapshot[session.name.text] = JSONWriter.bytes {
                Encoder().write(session.status, .full, to: &$0)
            }
        }
        return snapshot
    }

    /// Closes all sessions and checks that no timer is left.
    func end() {
        for session in sessions.all {
            _ = try? sessions.close(session, RequestContext(from: Source(.unix)))
        }
        check(sessions.count == 0, "a session is left")
        check(sessions.clock.timerQueue.count == 0, "a timer is left")
    }
}
