package import Cluster
package import EventLoop
package import GameFlow
import JSONCoding
package import RPC
package import Sessions
import Timers

/// Reports the sessions of other nodes, with the data that an observer may see or, for a broker whose line has `view=operate`, an
/// operator. `MQTTPublisher` publishes these sessions to brokers to which only this node is connected.
///
/// This object watches the sessions of all nodes, this node included. `MQTTPublisher` ignores the changes of this node's
/// sessions. When the owners of shards change, this object also requests a list of the sessions, because notifications may
/// have been lost.
package final class RemoteSessions: RoutedCaller {
    /// The status of a session at one instant.
    package struct Status {
        /// The name of the session's state.
        package let state: String
        /// The number of the session's newest change.
        package let seq: Int
        /// The length of the chain of steps that led to this change; see `Source.linkedSteps`.
        package let linkedSteps: Int
        /// The whole status as JSON, as the method `status` returns it.
        package let detail: [UInt8]
    }

    /// The answer of a session's owner to the question for the session's status.
    package enum StatusAnswer {
        case status(Status)
        /// The session does not exist.
        case closed
        /// The owner did not answer, or this object does not watch.
        case unanswered
    }

    private let router: ShardRouter
    private let loop: LibeventLoop
    /// Asks the owners of sessions for what operators see. This object itself asks for what observers see.
    private let operators: NodeCaller
    private var isWatching = false
    /// Requests a list of the sessions when it fires.
    private var listTimer = Alarm()
    /// Called with each session that has changed.
    var sessionChanged: (SessionName) -> Void = { _ in }
    /// Called after each list, with the number of the newest change of each session of all nodes. A session that is not in
    /// `seqs` does not exist.
    var sessionsListed: (_ seqs: [SessionName: Int]) -> Void = { _ in }

    /// The time from the move of a shard to the request for the list. Many shards may move within this time, and one list
    /// serves them all.
    private static let listDelay = Duration.seconds(1)

    package init(_ router: ShardRouter, on loop: LibeventLoop) {
        (self.router, self.loop) = (router, loop)
        operators = NodeCaller(
            .program, router, rights: Rights([Grant(.operate)]), needsLinkedSteps: true)
        router.shardOwnersChanged = { [unowned self] in listLater() }
    }

    /// The present time of the sessions' clock; nil if the database's time is not known yet.
    var now: Instant? { router.databaseTime }

    // MARK: requests

    /// Starts or stops watching.
    func setWatching(_ isWatching: Bool) {
        guard isWatching != self.isWatching else { return }
        self.isWatching = isWatching
        guard isWatching else {
            router.callerHasGone(self)
            operators.routedClient.end()
            listTimer.stop()
            return
        }
        router.routedClient(of: self).askAll(.watch(.all, topics: nil, since: nil)) { _ in }
        listLater()
    }

    /// Asks the owner of a session for the session's status. `showsOperators` says whether it has what only operators may see, as
    /// the status of a session of this node then has. Calls `done` once, immediately or later.
    package func ask(
        _ session: SessionName, showsOperators: Bool, _ done: @escaping (StatusAnswer) -> Void
    ) {
        guard isWatching else { return done(.unanswered) }
        let asker = showsOperators ? operators.routedClient : router.routedClient(of: self)
        asker.ask(.status(of: session), about: session) { [weak self] reply in
            switch reply {
            case .result(let bytes): done(Self.status(bytes).map { .status($0) } ?? .unanswered)
            case .error(let error) where error.name == "unknownSession": done(.closed)
            case .error:
                // The session may have changed meanwhile; the list shows whether it has.
                self?.listLater()
                done(.unanswered)
            }
        }
    }

    private static func status(_ detail: [UInt8]) -> Status? {
        guard let members = members(detail), let state = members["state"]?.text,
            case .int(let seq)? = members["seq"]
        else { return nil }
        // The owner writes this member first, and only if it is not 0. It is not published. An earlier version writes none.
        guard case .int(let steps)? = members["linkedSteps"],
            case let first = "{\"linkedSteps\":\(steps),", detail.starts(with: first.utf8)
        else { return Status(state: state, seq: seq, linkedSteps: 0, detail: detail) }
        return Status(
            state: state, seq: seq, linkedSteps: min(max(0, steps), Source.linkedStepsLimit),
            detail: [UInt8(ascii: "{")] + detail.dropFirst(first.utf8.count))
    }

    /// The members of a result; nil if it is not a JSON object.
    private static func members(_ json: [UInt8]) -> [Member]? {
        guard case .object(let members)? = Value(json: json) else { return nil }
        return members
    }

    // MARK: the list

    /// Requests a list of all sessions after `listDelay`, unless a request is already planned or this object does not watch.
    func listLater() {
        guard isWatching, !listTimer.isSet else { return }
        listTimer.set(on: loop, Self.listDelay) { [unowned self] in
            listTimer.stop()
            list(after: nil, [:])
        }
    }

    /// Requests the sessions after the name `previousName`, page by page; nil begins with the first page. `seqs` has the
    /// sessions of the earlier pages.
    private func list(after previousName: String?, _ seqs: [SessionName: Int]) {
        guard isWatching else { return }
        router.routedClient(of: self).askAll(.list(after: previousName)) { [weak self] reply in
            // After a failure, the whole list is requested again.
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

    /// Not recorded, because this object causes no changes.
    package var source: Source { .program }
    /// The rights of an observer, because all clients of the broker can read the published data, unless the line says otherwise.
    package let rights = Rights([Grant(.observe)])
    /// True: a published message may come back, and then continues the chain of the step that led to it.
    package var needsLinkedSteps: Bool { true }
    package var isGone: Bool { !isWatching }
    package func reportForbidden(_ error: RequestError) -> Bool { false }
    // Watches need no work when they begin or end: the list shows what happened before.
    package func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed) {}
    package func endWatch(_ target: WatchTarget) {}

    package func receive(_ notification: EncodedNotification) {
        if let session = RelayedPage.changePosition(of: notification).session {
            sessionChanged(session)
        } else {
            // A gap of all sessions: the owner has dropped notifications, perhaps of several sessions.
            listLater()
        }
    }
}
