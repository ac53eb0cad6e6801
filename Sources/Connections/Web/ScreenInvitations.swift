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
package final class ScreenInvitations {
    private let authorizer: Authorizer
    private let catalog: FlowCatalog
    private let alerts: AlertBoard
    /// Returns the address of the web pages, with which links begin; nil if the daemon has none, or is starting.
    private let findPageAddress: () -> String?
    private var shards: [FollowedShard] = []
    /// Renews the invitations, and makes those that could not be made before.
    private var renewals = Ticker()

    /// How long an invitation is valid if it is not renewed, in seconds.
    private static let seconds = 12 * 3600
    /// An invitation is renewed when it has less left, in seconds.
    private static let renewalSeconds = 6 * 3600
    private static let renewalInterval = Duration.seconds(60)

    package init(
        _ authorizer: Authorizer, _ catalog: FlowCatalog, _ alerts: AlertBoard,
        on loop: LibeventLoop, pageAddress: @escaping () -> String?
    ) {
        (self.authorizer, self.catalog, self.alerts) = (authorizer, catalog, alerts)
        findPageAddress = pageAddress
        renewals.start(on: loop, Self.renewalInterval) { [unowned self] _ in renew() }
    }

    /// The sessions of a shard that are in a state with `join`.
    private final class FollowedShard: Watcher {
        let sessions: Sessions
        unowned let owner: ScreenInvitations
        var inviting: Set<SessionName> = []

        init(_ sessions: Sessions, _ owner: ScreenInvitations) {
            (self.sessions, self.owner) = (sessions, owner)
        }

        func notify(_ notification: Notification) {
            guard case .change(let change) = notification.content else { return }
            owner.update(change.session, of: self, isClosed: change.kind == .close)
        }

        func ended(_ session: SessionName) {}
    }

    /// Begins to follow the sessions of a shard. A request pays for this only if some flow lets people join.
    private func watch(_ shard: FollowedShard) {
        // These cannot fail: a watch of all sessions needs no session.
        guard catalog.flows.contains(where: \.presentation.invites) else {
            return (try? shard.sessions.unwatch(.all, by: shard)) ?? ()
        }
        _ = try? shard.sessions.watch(.all, .changes, by: shard)
    }

    /// Opens and closes the invitations of all sessions of a shard. Does not look at the sessions, of which there may be many, if
    /// no flow lets people join and no invitation is open.
    private func updateAll(of shard: FollowedShard) {
        let open = authorizer.sessionsWithOpenScreens
        guard !open.isEmpty || catalog.flows.contains(where: \.presentation.invites) else { return }
        // By flow, because there are few flows and each answer looks at all states.
        var invites: [ObjectIdentifier: Bool] = [:]
        for session in shard.sessions.all {
            let flow = ObjectIdentifier(session.flow)
            let mayInvite = invites[flow] ?? session.flow.presentation.invites
            invites[flow] = mayInvite
            guard mayInvite || open.contains(session.name) else { continue }
            update(session.name, of: shard, isClosed: false, isFirst: true)
        }
    }

    /// Opens or closes the invitation of a session, as its present state says. `isFirst`: it may be open although this object has
    /// not opened it.
    private func update(
        _ name: SessionName, of shard: FollowedShard, isClosed: Bool, isFirst: Bool = false
    ) {
        let session = isClosed ? nil : try? shard.sessions.session(name)
        let invites =
            session.map {
                $0.flow.presentation.states[$0.listItem.state]?.invites == true
            } ?? false
        if invites {
            guard shard.inviting.insert(name).inserted else { return }
            return open(name, of: shard)
        }
        let wasInviting = shard.inviting.remove(name) != nil
        guard wasInviting || isFirst || isClosed else { return }
        shard.sessions.screenJoins[name] = nil
        alerts.end(.invitation, name.text)
        close(name, isClosed: session == nil)
    }

    private func open(_ name: SessionName, of shard: FollowedShard) {
        guard let address = findPageAddress() else {
            return fail(
                name,
                "this daemon serves no web page at a network address: start it with --http, or --public"
            )
        }
        if let invitation = authorizer.openScreenInvitation(to: name),
            invitation.until > WallClock.seconds + Self.renewalSeconds
        {
            return show(invitation, of: name, in: shard, at: address)
        }
        authorizer.openScreen(name, for: Self.seconds) { [weak self, weak shard] result in
            guard let self, let shard else { return }
            // The state may have been left meanwhile.
            guard shard.inviting.contains(name) else { return close(name, isClosed: false) }
            switch result {
            case .failure(let error): fail(name, error.why)
            case .success:
                guard let invitation = authorizer.openScreenInvitation(to: name) else { return }
                show(invitation, of: name, in: shard, at: address)
            }
        }
    }

    private func show(
        _ invitation: StoredInvitation, of name: SessionName, in shard: FollowedShard,
        at address: String
    ) {
        guard let screen = invitation.screen else { return }
        alerts.end(.invitation, name.text)
        shard.sessions.screenJoins[name] = ScreenJoin(
            link: Invitation.link(at: address, key: screen.key), code: screen.code,
            until: .seconds(invitation.until))
    }

    private func close(_ name: SessionName, isClosed: Bool) {
        authorizer.closeScreen(name, isClosed: isClosed) { result in
            guard case .failure(let error) = result else { return }
            Log.write(
                .error, "the code on the screens of \(name.text) is still accepted: \(error.why)")
        }
    }

    private func fail(_ name: SessionName, _ why: String) {
        alerts.begin(
            .invitation, name.text,
            "the screens of \(name.text) show no code with which people can join: \(why)",
            session: name)
    }

    private func renew() {
        for shard in shards {
            for name in shard.inviting { open(name, of: shard) }
        }
    }

    /// Called when the address of the web pages is known.
    package func begin() { renew() }
}

extension ScreenInvitations: Part {
    /// The flows were read again before.
    package func reload(_ options: Options) {
        for shard in shards {
            watch(shard)
            updateAll(of: shard)
        }
    }
}

extension ScreenInvitations: ShardFollower {
    package func shardWasRestored(_ shard: Shard, _ rows: RestoredRows) {
        let followed = FollowedShard(shard.sessions, self)
        shards.append(followed)
        watch(followed)
        updateAll(of: followed)
    }

    package func changesWereRolledBack(in shard: Shard) {
        for each in shards where each.sessions === shard.sessions { updateAll(of: each) }
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
