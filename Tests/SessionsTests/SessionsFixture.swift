import GameFlow
import JSONCoding
import RPC
import Sessions
import ShippedFlows
import Testing
import Timers

/// Sessions of the flow `game` on a virtual clock.
final class SessionsFixture {
    let time = VirtualClock()
    let sessions: Sessions
    let flow: AnyFlow

    init(limits: Limits = Limits()) {
        flow = AnyFlow(Game())
        sessions = Sessions([flow], on: time, limits: limits)
    }

    static let player = Source(Source.Kind("unix"), peer: .process(pid: 11, uid: 22, gid: 33))

    @discardableResult func open(
        _ name: String = "main", _ state: String? = nil, _ data: [Member] = []
    )
        throws(RequestError) -> Session
    {
        try sessions.open(
            SessionName(name)!, flow, state: state, data: data, RequestContext(from: Self.player))
    }

    func session(_ name: String = "main") throws(RequestError) -> Session {
        try sessions.session(SessionName(name)!)
    }

    @discardableResult func send(
        _ event: String, _ arguments: [Member] = [], to name: String = "main", id: String? = nil,
        ageMs: Int = 0, from source: Source = SessionsFixture.player
    ) throws(RequestError) -> Change {
        try sessions.send(
            event, arguments, to: session(name),
            RequestContext(
                from: source, id: id, ageMs: ageMs,
                ageLimitMs: source.kind.name == "bluetooth" ? 3000 : nil)
        ).value
    }

    /// The error of a request; nil if it succeeds.
    func refusal(_ work: () throws(RequestError) -> Void) -> RequestError? {
        do throws(RequestError) {
            try work()
            return nil
        } catch { return error }
    }

    /// The error of an event that the session's present state does not accept.
    func noTransition(_ event: String, in state: String, of name: String = "main")
        throws(RequestError) -> RequestError
    {
        let session = try session(name)
        return .noTransition(
            event: event, state: state, accepts: session.machine.accepts,
            last: session.lastSummary)
    }

    /// A session's status as the JSON that clients receive.
    func status(_ name: String = "main") throws -> String {
        var writer = JSONWriter()
        Encoder().write(try session(name).status, .full, to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Closes all sessions, and expects that no timer is left. Most tests end with this call.
    func closeAllAndExpectNoTimers(sourceLocation: SourceLocation = #_sourceLocation) {
        for session in sessions.all {
            _ = try? sessions.close(session, RequestContext(from: Self.player))
        }
        #expect(time.timerQueue.count == 0, sourceLocation: sourceLocation)
        #expect(sessions.count == 0, sourceLocation: sourceLocation)
    }
}

/// A watcher that records its notifications as lines of JSON. A notification that arrives twice in succession, for two
/// watches, is recorded once.
final class RecordingWatcher: Watcher {
    private(set) var lines: [String] = []
    private var last: Notification?

    func notify(_ notification: Notification) {
        if notification === last { return }
        last = notification
        lines.append(String(decoding: Encoder().encode(notification, .full).line, as: UTF8.self))
    }

    func ended(_ session: SessionName) { lines.append("ended \(session.text)") }

    var methods: [String] {
        lines.map { line in
            String(line.dropFirst(#"{"jsonrpc":"2.0","method":""#.count).prefix { $0 != "\"" })
        }
    }
}

extension JSONWriter {
    /// The data of an error as JSON.
    static func text(ofData error: RequestError) -> String {
        String(decoding: bytes { $0.object(error.data) }, as: UTF8.self)
    }
}

extension Change {
    /// The change as the JSON that clients receive.
    var text: String {
        String(decoding: JSONWriter.bytes { Encoder().write(self, .full, to: &$0) }, as: UTF8.self)
    }
}
