import EventLoop
import GameFlow
import JSONCoding
import RPC
import Sessions
import Timers

/// The sessions of other nodes, with the data that an observer may see. `MQTTPublisher` publishes them to connections that only
/// this node has.
///
/// It watches all sessions. When the owners of shards change, it also requests a list of the sessions, because notifications
/// may have been lost.
final class RemoteSessions: RoutedCaller {
    /// The status of a session at one instant.
    struct Status {
        let state: String
        let seq: Int
        /// The whole status as JSON.
        let detail: [UInt8]
    }

    enum StatusAnswer {
        case status(Status)
        /// There is no such session.
        case closed
        /// The owner did not answer.
        case unanswered
    }

    private let router: ShardRouter
    private let loop: LibeventLoop
    private var routed: RoutedClient?
    /// Requests a list of the sessions when it fires; nil while no list is to be requested.
    private var listTimer: ScopedCountdown?
    /// Called with a session that has changed.
    var sessionChanged: (SessionName) -> Void = { _ in }
    /// Called with the number of the newest change of each session of all nodes.
    var sessionsListed: (_ seqs: [SessionName: Int]) -> Void = { _ in }

    /// The time from the move of a shard to the request for the list: many shards may move at once.
    private static let listDelay = Duration.seconds(1)

    init(_ router: ShardRouter, on loop: LibeventLoop) {
        (self.router, self.loop) = (router, loop)
        router.shardOwnersChanged = { [unowned self] in listLater() }
    }

    // MARK: requests

    /// Starts or stops watching.
    func setWatching(_ isWatching: Bool) {
        guard isWatching != (routed != nil) else { return }
        guard isWatching else {
            routed?.end()
            (routed, listTimer) = (nil, nil)
            return
        }
        let routed = RoutedClient(self, router)
        self.routed = routed
        router.announceNewOwners(to: routed)
        routed.askAll(.watch(.all, topics: nil, since: nil)) { _ in }
        listLater()
    }

    /// Asks the owner of a session for its status.
    func ask(_ session: SessionName, _ done: @escaping (StatusAnswer) -> Void) {
        guard let routed else { return done(.unanswered) }
        routed.ask(.status(of: session), about: session) { [weak self] reply in
            switch reply {
            case .result(let bytes): done(Self.status(bytes).map { .status($0) } ?? .unanswered)
            case .error(let error) where error.name == "unknownSession": done(.closed)
            case .error:
                self?.listLater()
                done(.unanswered)
            }
        }
    }

    private static func status(_ detail: [UInt8]) -> Status? {
        guard let members = members(detail), let state = members["state"]?.text,
            case .int(let seq)? = members["seq"]
        else { return nil }
        return Status(state: state, seq: seq, detail: detail)
    }

    /// The members of a result; nil if it is not a JSON object.
    private static func members(_ json: [UInt8]) -> [Member]? {
        guard case .object(let members)? = Value(json: json) else { return nil }
        return members
    }

    // MARK: the list

    /// Lists all sessions after `listDelay`.
    func listLater() {
        guard routed != nil, listTimer == nil else { return }
        listTimer = ScopedCountdown(on: loop, Self.listDelay) { [unowned self] in
            listTimer = nil
            list(after: nil, [:])
        }
    }

    /// Requests the sessions after the name `previousName`, page by page. `seqs` has the sessions of the earlier pages.
    private func list(after previousName: String?, _ seqs: [SessionName: Int]) {
        routed?.askAll(.list(after: previousName)) { [weak self] reply in
            guard let self, case .result(let bytes) = reply else { return self?.listLater() ?? () }
            let page = RelayedPage(bytes)
            // While some shards have no owner, the page lacks their sessions.
            guard page.missingShardCount == 0 else { return listLater() }
            var seqs = seqs
            for (name, json) in page.sessions {
                guard let name = SessionName(name), case .int(let seq)? = Self.members(json)?["seq"]
                else { continue }
                seqs[name] = seq
            }
            guard page.hasMore, let next = page.sessions.last?.name else {
                return sessionsListed(seqs)
            }
            list(after: next, seqs)
        }
    }

    // MARK: RoutedCaller

    var source: Source { .program }
    /// The rights of an observer, because all clients of the broker can read the published data.
    let rights = Rights([Grant(.observe)])
    var needsArgumentConversion: Bool { false }
    var isGone: Bool { routed == nil }
    func reportForbidden(_ error: RequestError) -> Bool { false }
    func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed) {}
    func endWatch(_ target: WatchTarget) {}

    func receive(_ notification: EncodedNotification) {
        if let session = RelayedPage.changePosition(of: notification).session {
            sessionChanged(session)
        } else {
            // A gap of all sessions: the owner has dropped notifications, perhaps of several sessions.
            listLater()
        }
    }
}
