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
    let watches: [Value]
    let recent: RecentRequests
    let unreadBytes: Int
    let held: Int

    var members: [Member] {
        let role = Role.allCases.last { rights.has($0) }?.name
        let minute = recent.lastMinute
        return [
            Member("id", "\(number)"), Member("kind", kind), Member("principal", identity.account),
            Member("peer", .object(identity.peer?.members ?? [])), Member("sinceMs", since),
            Member("role", role.map { .string($0) } ?? .null), Member("watches", .array(watches)),
            Member("requests", minute.requests), Member("refusals", minute.refusals),
            Member("unreadBytes", unreadBytes), Member("held", held),
        ]
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
            rights: rights, since: since, watches: watchList, recent: recent,
            unreadBytes: outbox.unsent + subscriber.backlog, held: outbox.heldReplies
        ).members
    }

    /// What the client watches, of this node's sessions or of all nodes'.
    private var watchList: [Value] {
        if let routedClient {
            return routedClient.watchList.map { ClientDescription.watch($0.target, $0.topics) }
        }
        return subscriber.watched.map { target in
            ClientDescription.watch(target, context.sessions.topics(of: target, by: self))
        }
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
            watches: stream.map { [$0.watch] } ?? [], recent: recent,
            unreadBytes: stream.map { $0.outbox.unsent + $0.subscriber.backlog } ?? unsentBytes,
            held: stream.map(\.outbox.heldReplies) ?? (isAnswering ? 1 : 0)
        ).members
    }

    package func rollRequests() { recent.roll() }
}
