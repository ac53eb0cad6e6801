import GameFlow
import JSONCoding
import RPC
import Sessions
import ShippedFlows
import Testing
import Timers

/// Sessions on virtual time, and the words a test says to them.
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

    /// What the request is refused with; nil if it is not.
    func refusal(_ work: () throws(RequestError) -> Void) -> RequestError? {
        do throws(RequestError) {
            try work()
            return nil
        } catch { return error }
    }

    /// What an event is refused with that the session does not take in its state.
    func noTransition(_ event: String, in state: String, of name: String = "main")
        throws(RequestError) -> RequestError
    {
        let session = try session(name)
        return .noTransition(
            event: event, state: state, accepts: session.machine.accepts,
            last: session.last.map { LastChange($0) })
    }

    /// A session's status as it goes over the wire, byte for byte.
    func status(_ name: String = "main") throws -> String {
        var writer = JSONWriter()
        Encoder().write(try session(name).status, .full, to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The end of every test: closing every session leaves no timer.
    func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) {
        for session in sessions.list(limit: .max - 1).sessions {
            _ = try? sessions.close(session, RequestContext(from: Self.player))
        }
        #expect(time.timerQueue.count == 0, sourceLocation: sourceLocation)
        #expect(sessions.count == 0, sourceLocation: sourceLocation)
    }
}

/// A watcher that writes down the methods and the texts of what it is told.
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
    /// An error's data as JSON.
    static func text(ofData error: RequestError) -> String {
        String(decoding: bytes { $0.object(error.data) }, as: UTF8.self)
    }
}

extension Change {
    /// The change as clients get it.
    var text: String {
        String(decoding: JSONWriter.bytes { Encoder().write(self, .full, to: &$0) }, as: UTF8.self)
    }
}
