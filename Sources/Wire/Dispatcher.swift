internal import JSON
public import Sessions
internal import Timers

/// Does what a request asks, and writes its result. One for all conversations.
///
/// Whoever calls has settled the timeline: time comes before requests.
public final class Dispatcher {
    public let sessions: Sessions
    let identity: Identity
    /// Where more is kept than the sessions remember; nil where nothing is.
    let archive: (any Archive)?

    /// What `hello` says of the daemon.
    public struct Identity: Sendable {
        public let version: String
        /// Another one for every start that restored nothing.
        public let instance: String
        /// The limits of whoever holds the conversations, with their names.
        public let limits: [(name: String, limit: Int)]

        public init(version: String, instance: String, limits: [(name: String, limit: Int)]) {
            (self.version, self.instance, self.limits) = (version, instance, limits)
        }
    }

    public init(_ sessions: Sessions, _ identity: Identity, archive: (any Archive)? = nil) {
        self.sessions = sessions
        self.identity = identity
        self.archive = archive
    }

    /// Does what is asked, and writes the result; throws before anything is written.
    func call(
        _ method: Method, _ params: borrowing Params, from peer: any Peer,
        into writer: inout JSONWriter
    ) throws(CallError) -> Called {
        switch method {
        case .send: try send(params, peer, &writer)
        case .ping: ping(&writer)
        case .hello: hello(&writer)
        case .status: writer.session(try session(params))
        case .list: try list(params, &writer)
        case .open: try open(params, peer, &writer)
        case .close: try close(params, peer, &writer)
        case .watch: return try watch(params, peer, &writer)
        case .unwatch: try unwatch(params, peer, &writer)
        case .timer: try timer(params, peer, &writer)
        case .goto: try goto(params, peer, &writer)
        case .advance: try advance(params, peer, &writer)
        case .describe: try describe(params, &writer)
        case .graph: try graph(params, &writer)
        case .history: return try history(params, &writer)
        case .backup: return try backup(params)
        }
        return .done
    }

    func session(_ params: borrowing Params) throws(CallError) -> Session {
        let name = try params.session()
        do { return try sessions.session(name) } catch { throw .refused(error) }
    }
}
