package import Access
package import EventLoop
import GameFlow
package import Parts
import RPC
package import Sessions
package import Shards
import Timers

/// Lets people join a session from its screens: while a session is in a state with `join`, an invitation to it is open, and the
/// status of the session has its link and its code. All calls are on the loop's thread.
///
/// Each turn of the loop reads the properties that are `@exclusivity(unchecked)`. This is safe: no other code runs during an access to
/// them.
package final class ScreenInvitations {
    private let authorizer: Authorizer
    private let catalog: FlowCatalog
    private let alerts: AlertBoard
    /// Returns the number of the shard of a session.
    private let shardNumber: (SessionName) -> Int
    /// The pages to which links lead.
    private let pages: any PageLocation
    /// Whether the address of the web pages is known.
    private var hasBegun = false
    @exclusivity(unchecked) private var shards: [FollowedShard] = []
    /// The sessions whose invitation is being changed.
    private var changing: Set<SessionName> = []
    /// Renews the invitations, and repeats what has failed.
    private var renewals = Ticker()

    /// How long an invitation is valid if it is not renewed, in seconds.
    private static let seconds = 12 * 3600
    /// An invitation is renewed when it has less left, in seconds.
    private static let renewalSeconds = 6 * 3600
    private static let renewalInterval = Duration.seconds(60)

    package init(
        _ authorizer: Authorizer, _ catalog: FlowCatalog, _ alerts: AlertBoard,
        to pages: any PageLocation, on loop: LibeventLoop,
        shardNumber: @escaping (SessionName) -> Int
    ) {
        (self.authorizer, self.catalog, self.alerts) = (authorizer, catalog, alerts)
        self.shardNumber = shardNumber
        self.pages = pages
        renewals.start(on: loop, Self.renewalInterval) { [unowned self] _ in settleAll() }
    }

    /// Called when the address of the web pages is known.
    package func begin() {
        hasBegun = true
        settleAll()
    }

    /// The sessions of a shard, and which of them let people join.
    private final class FollowedShard: Watcher {
        let sessions: Sessions
        let number: Int
        /// The sessions that are in a state with `join`.
        var inviting: Set<SessionName> = []
        /// The sessions whose invitation may be open although they are in another state, because they have just left one with
        /// `join`, or because closing it has failed.
        var leaving: Set<SessionName> = []
        /// The sessions that were closed, and whose guests may still have tokens.
        var closed: Set<SessionName> = []
        /// The changes that are not durable yet, in order.
        @exclusivity(unchecked) var waiting: [(row: Int, session: SessionName, isClosed: Bool)] = []

        init(_ shard: Shard) { (sessions, number) = (shard.sessions, shard.number) }

        func notify(_ notification: Notification) {
            guard case .change(let change) = notification.content else { return }
            waiting.append((notification.row, change.session, change.kind == .close))
        }

        func ended(_ session: SessionName) {}
    }

    // MARK: what the sessions want

    /// Begins to follow the sessions of a shard, and looks at those that are decoded and whose flows let people join. A request
    /// pays for this only if there is such a flow, also among those that can be opened, or if an invitation is left.
    private func follow(_ shard: FollowedShard) {
        let known = Set(
            authorizer.screenInvitations.keys.filter { shardNumber($0) == shard.number })
        // By flow, because there are few flows, and usually none of them lets people join.
        let inviting = Set(
            shard.sessions.playedFlows.filter(\.presentation.invites).map(ObjectIdentifier.init))
        if !inviting.isEmpty {
            for session in shard.sessions.decoded
            where inviting.contains(ObjectIdentifier(session.flow)) {
                update(session.name, of: shard)
            }
        }
        for name in known.union(shard.inviting) {
            guard isGone(name, shard) else {
                // The invitation may be open although the session is in another state.
                update(name, of: shard)
                if !shard.inviting.contains(name) { shard.leaving.insert(name) }
                continue
            }
            // The session was closed, or its opening was undone.
            shard.inviting.remove(name)
            shard.closed.insert(name)
        }
        let isNeeded =
            !known.isEmpty || !inviting.isEmpty
            || catalog.flows.contains(where: \.presentation.invites)
        // These cannot fail: a watch of all sessions needs no session.
        if isNeeded {
            _ = try? shard.sessions.watch(.all, .changes, by: shard)
        } else {
            try? shard.sessions.unwatch(.all, by: shard)
        }
        settle(shard)
    }

    /// Whether there is no such session. A session that cannot be read at present is not gone.
    private func isGone(_ name: SessionName, _ shard: FollowedShard) -> Bool {
        do throws(RequestError) { _ = try shard.sessions.session(name) } catch {
            if case .unknownSession = error { return true }
        }
        return false
    }

    /// Notes whether the present state of a session lets people join.
    private func update(_ name: SessionName, of shard: FollowedShard) {
        let session = try? shard.sessions.session(name)
        let invites =
            session.map { $0.flow.presentation.states[$0.shownState]?.invites == true } ?? false
        if invites {
            shard.inviting.insert(name)
            shard.leaving.remove(name)
        } else if shard.inviting.remove(name) != nil {
            shard.leaving.insert(name)
        }
    }

    // MARK: opening and closing

    private func settleAll() {
        for shard in shards {
            for name in shard.inviting { update(name, of: shard) }
            settle(shard)
        }
    }

    /// Opens and closes the invitations of a shard as its sessions want it. What cannot be done now is tried again later.
    private func settle(_ shard: FollowedShard) {
        guard hasBegun else { return }
        for name in shard.closed where !changing.contains(name) { end(name, of: shard) }
        for name in shard.leaving where !changing.contains(name) { close(name, of: shard) }
        // Most invitations are shown and valid for long, so the tokens are searched once for all of them.
        let invitations = authorizer.screenInvitations
        for name in shard.inviting where !changing.contains(name) {
            if shard.sessions.screenJoins[name] == nil || !isLasting(invitations[name]) {
                open(name, of: shard)
            }
        }
    }

    /// Whether an invitation need not be renewed yet.
    private func isLasting(_ invitation: StoredInvitation?) -> Bool {
        invitation?.isValid(at: WallClock.seconds + Self.renewalSeconds) == true
    }

    private func open(_ name: SessionName, of shard: FollowedShard) {
        guard let address = pages.address else {
            return fail(
                name,
                "this daemon serves no web page at a network address: start it with --http, or --public"
            )
        }
        let show = { [weak self, weak shard] in
            guard let self, let shard, let invitation = authorizer.openScreenInvitation(to: name),
                let screen = invitation.screen
            else { return }
            alerts.end(.invitation, name.text)
            shard.sessions.screenJoins[name] = ScreenJoin(
                link: Invitation.link(at: address, key: screen.key), code: screen.code,
                until: .seconds(invitation.until))
        }
        if isLasting(authorizer.openScreenInvitation(to: name)) { return show() }
        change(name, of: shard, isOpening: true) { done in
            authorizer.openScreen(
                name, atLeast: Self.renewalSeconds, length: Self.seconds, done)
        } succeeded: { [weak shard] in
            // The state may have been left meanwhile.
            if shard?.inviting.contains(name) == true { show() }
        } failed: { [weak self] why in
            self?.fail(name, why)
        }
    }

    private func close(_ name: SessionName, of shard: FollowedShard) {
        hide(name, of: shard)
        guard authorizer.openScreenInvitation(to: name) != nil else {
            shard.leaving.remove(name)
            return
        }
        change(name, of: shard) { done in
            authorizer.closeScreen(name, done)
        } succeeded: { [weak shard] in
            shard?.leaving.remove(name)
        } failed: { why in
            Log.write(
                .error, .access, "the code on the screens of \(name.text) is still accepted: \(why)"
            )
        }
    }

    /// Ends the tokens of the guests of a session that was closed.
    private func end(_ name: SessionName, of shard: FollowedShard) {
        hide(name, of: shard)
        change(name, of: shard) { done in
            authorizer.endScreen(of: name, done)
        } succeeded: { [weak shard] in
            shard?.closed.remove(name)
            shard?.leaving.remove(name)
        } failed: { why in
            Log.write(.error, .access, "the guests of \(name.text) still have tokens: \(why)")
        }
    }

    private func hide(_ name: SessionName, of shard: FollowedShard) {
        if shard.sessions.screenJoins[name] != nil { shard.sessions.screenJoins[name] = nil }
        alerts.end(.invitation, name.text)
    }

    /// Changes the invitation of a session. Until the change is made, no other is begun; then the session may want something else.
    private func change(
        _ name: SessionName, of shard: FollowedShard, isOpening: Bool = false,
        _ begin: (_ done: @escaping (Result<Void, TokenFile.TokenError>) -> Void) -> Void,
        succeeded: @escaping () -> Void, failed: @escaping (_ why: String) -> Void
    ) {
        changing.insert(name)
        begin { [weak self, weak shard] result in
            guard let self else { return }
            changing.remove(name)
            switch result {
            case .success:
                succeeded()
                if let shard { settle(name, of: shard, mayOpen: !isOpening) }
            case .failure(let error): failed(error.why)
            }
        }
    }

    /// As `settle`, for one session that is not being changed.
    private func settle(_ name: SessionName, of shard: FollowedShard, mayOpen: Bool = true) {
        if shard.closed.contains(name) {
            end(name, of: shard)
        } else if shard.leaving.contains(name) {
            close(name, of: shard)
        } else if mayOpen, shard.inviting.contains(name), shard.sessions.screenJoins[name] == nil {
            open(name, of: shard)
        }
    }

    private func fail(_ name: SessionName, _ why: String) {
        alerts.begin(
            .invitation, name.text,
            "the screens of \(name.text) show no code with which people can join: \(why)",
            session: name)
    }
}

extension ScreenInvitations: TurnPart {
    /// The flows were read again before.
    package func reload(_ options: Options) {
        for shard in shards { follow(shard) }
    }

    /// Acts on the changes that are durable by now.
    package func flush() {
        for shard in shards where !shard.waiting.isEmpty {
            let durable = shard.sessions.durableRow
            let count = shard.waiting.prefix { $0.row <= durable }.count
            guard count > 0 else { continue }
            let changes = shard.waiting.prefix(count)
            shard.waiting.removeFirst(count)
            for (_, name, isClosed) in changes {
                if isClosed { shard.closed.insert(name) }
                update(name, of: shard)
                if !changing.contains(name), hasBegun { settle(name, of: shard) }
            }
        }
    }
}

extension ScreenInvitations: ShardFollower {
    package func shardWasRestored(_ shard: Shard, _ rows: RestoredRows) {
        let followed = FollowedShard(shard)
        shards.append(followed)
        follow(followed)
    }

    package func sessionsWereDecoded(in shard: Shard) {
        for each in shards where each.sessions === shard.sessions { follow(each) }
    }

    package func changesWereRolledBack(in shard: Shard) {
        for each in shards where each.sessions === shard.sessions {
            let durable = shard.sessions.durableRow
            each.waiting.removeAll { $0.row > durable }
            follow(each)
        }
    }

    /// The invitations stay open: the next owner of the shard shows them.
    package func shardHasEnded(_ shard: Shard) {
        for each in shards where each.sessions === shard.sessions {
            for name in each.inviting { alerts.end(.invitation, name.text) }
            shard.sessions.screenJoins = [:]
            try? shard.sessions.unwatch(.all, by: each)
        }
        shards.removeAll { $0.sessions === shard.sessions }
    }
}
