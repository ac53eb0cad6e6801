import Access
import Cluster
package import GameFlow
import JSONCoding
import RPC
import Sessions

/// A connection in the result of the method `clients`. `Connection` and `HTTPConnection` conform.
package protocol ListedClient: AnyObject {
    /// The number of the connection; each has another since the start of the daemon.
    var number: Int { get }
    /// The description of the client for operators.
    var members: [Member] { get }
    /// Begins the next part of the minute in which requests are counted.
    func rollRequests()
    /// Closes the connection.
    func close()
}

/// The members that all kinds of clients have.
struct ClientDescription {
    let number: Int
    let kind: String
    let identity: Identity
    let rights: Rights
    let since: Int
    let watches: Watches
    let recent: RecentRequests
    let unreadBytes: Int
    let held: Int

    /// What a client watches: at most `limit` of its watches, because it may have any number, and how many more it has.
    struct Watches {
        static let limit = 16
        let listed: [Value]
        let more: Int

        init(_ all: some Collection<(target: WatchTarget, topics: [String])>) {
            listed = all.prefix(Self.limit).map { ClientDescription.watch($0.target, $0.topics) }
            more = max(0, all.count - Self.limit)
        }

        /// The watch of a stream; none of another connection over HTTP.
        init(_ stream: WebStream?) { (listed, more) = (stream.map { [$0.watch] } ?? [], 0) }
    }

    var members: [Member] {
        let role = Role.allCases.last { rights.has($0) }?.name
        let minute = recent.lastMinute
        return [
            Member("id", "\(number)"), Member("kind", kind), Member("principal", identity.account),
            Member("peer", .object(identity.peer?.members ?? [])), Member("sinceMs", since),
            Member("role", role.map { .string($0) } ?? .null),
            Member("watches", .array(watches.listed)),
            Member("requests", minute.requests), Member("refusals", minute.refusals),
            Member("unreadBytes", unreadBytes), Member("held", held),
        ] + (watches.more > 0 ? [Member("moreWatches", watches.more)] : [])
    }

    /// A watch of a client: the session, or `*`, and the topics.
    static func watch(_ target: WatchTarget, _ topics: [String]) -> Value {
        let name = if case .session(let name) = target { name.text } else { "*" }
        return .object([
            Member("session", name), Member("topics", .array(topics.map { .string($0) })),
        ])
    }
}

extension Connection: ListedClient {
    package var members: [Member] {
        let isNode = if case .node = peerKind { true } else { false }
        return ClientDescription(
            number: number, kind: isNode ? "node" : identity.kind.name, identity: identity,
            rights: rights, since: since, watches: watches, recent: recent,
            unreadBytes: outbox.unread + subscriber.backlog, held: outbox.heldReplies
        ).members
    }

    /// What the client watches, of this node's sessions or of all nodes'.
    private var watches: ClientDescription.Watches {
        if let routedClient = context.router?.knownClient(of: self) {
            return ClientDescription.Watches(routedClient.watchList)
        }
        // Lazy, because the topics of each watch are looked for.
        return ClientDescription.Watches(
            subscriber.watched.lazy.map { [self] target in
                (target, context.sessions.topics(of: target, by: self))
            })
    }

    package func rollRequests() { recent.roll() }
}

extension HTTPConnection: ListedClient {
    package var members: [Member] {
        let stream = stream
        return ClientDescription(
            number: number, kind: stream == nil ? "web" : "stream",
            identity: stream?.identity ?? identity,
            rights: stream?.rights ?? context.authorizer.rights(of: identity), since: since,
            watches: ClientDescription.Watches(stream), recent: recent,
            unreadBytes: stream.map { $0.outbox.unread + $0.subscriber.backlog } ?? unsentBytes,
            held: stream.map(\.outbox.heldReplies) ?? (isAnswering ? 1 : 0)
        ).members
    }

    package func rollRequests() { recent.roll() }
}
