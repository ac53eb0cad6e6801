internal import Access
internal import JSON
public import Sessions
internal import Timers

/// Does what a request asks, and writes its result. One for all conversations.
///
/// Whoever calls has settled the timeline: time comes before requests.
public final class Dispatcher {
    public let sessions: Sessions
    var identity: Identity
    /// Writes what peers are answered and told.
    public let encoder = Encoder()
    /// Where more is kept than the sessions remember; nil where nothing is.
    let archive: (any HistoryStore)?
    /// What looks after what is kept; nil where nothing is.
    let maintenance: (any Maintenance)?
    /// The tokens by which peers are let in; nil where there are none.
    let tokens: (any TokenStore)?

    /// The Bluetooth devices; nil without Bluetooth.
    let devices: (any DeviceRegistry)?

    /// What `hello` says of the daemon.
    public struct Identity: Sendable {
        public let version: String
        /// Another one for every start that restored nothing.
        public let instance: String
        /// The limits of the server, by name.
        public internal(set) var limits: [(name: String, limit: Int)]

        public init(version: String, instance: String, limits: [(name: String, limit: Int)]) {
            (self.version, self.instance, self.limits) = (version, instance, limits)
        }
    }

    public init(
        _ sessions: Sessions, _ identity: Identity, archive: (any HistoryStore)? = nil,
        maintenance: (any Maintenance)? = nil, tokens: (any TokenStore)? = nil,
        devices: (any DeviceRegistry)? = nil
    ) {
        self.sessions = sessions
        self.identity = identity
        self.devices = devices
        (self.archive, self.maintenance, self.tokens) = (archive, maintenance, tokens)
    }

    /// Does what is asked, and writes the result, if there is one already.
    func call(
        _ method: Method, _ params: borrowing Params, from peer: any Caller,
        into writer: inout JSONWriter
    ) -> CallOutcome {
        do throws(CallError) { return try perform(method, params, peer, &writer) } catch {
            return .refused(error, row: row(shownBy: error, method, params))
        }
    }

    /// The row that an error waits for: it may show a session, or that there is none.
    private func row(shownBy error: CallError, _ method: Method, _ params: borrowing Params) -> Int
    {
        guard case .refused = error, method.isAboutSession else { return 0 }
        guard case .session(let name)? = try? params.target(),
            let session = try? sessions.session(name)
        else { return sessions.newestRow }
        return sessions.row(of: session)
    }

    private func perform(
        _ method: Method, _ params: borrowing Params, _ peer: any Caller,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        if !method.checksRole { try check(method, peer) }
        return try method.handler(self, params, peer, &writer)
    }

    private func session(_ name: SessionName, _ peer: any Caller) throws(CallError) -> Session {
        do { return try sessions.session(name) } catch {
            guard case .unknownSession(let text, let near) = error else { throw .refused(error) }
            // Names are told to who may know them.
            let known = near.filter { SessionName($0).map(peer.mayObserve) ?? false }
            throw .refused(.unknownSession(text, didYouMean: known))
        }
    }

    /// The session that a method is about, with which the peer may do that; of an event that is asked for itself.
    func session(_ params: borrowing Params, _ method: Method, _ peer: any Caller) throws(CallError)
        -> Session
    {
        // Whoever may not look at it learns nothing of it: not whether it is there, and no answer that is remembered.
        let name = try params.session()
        guard peer.rights.has(.observe, in: name) else { throw refusal(params, method, peer) }
        let session = try session(name, peer)
        if method != .send { try check(method, peer, session) }
        return session
    }
}
