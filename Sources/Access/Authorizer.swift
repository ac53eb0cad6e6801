import GameFlow
package import Parts
package import RPC
package import Sessions
import Timers

/// Decides what clients may do, by the rules and the tokens. When the rules change, it updates the rights of connected clients.
/// When a token is no longer valid, it closes the connections that were authenticated with the token.
package final class Authorizer: Part {
    /// The `allow` lines of the configuration.
    package private(set) var rules: Rules
    /// The tokens of this daemon, or a copy of the tokens that all nodes share.
    private var tokens: TokenFile { didSet { tokenChanges += 1 } }
    /// How often the tokens may have changed, so that a copy of `tokenText` is renewed only then.
    package private(set) var tokenChanges = 0
    private var home: Home
    /// The clients with a lasting connection, by object.
    private var callers: [ObjectIdentifier: any AuthorizedCaller] = [:]
    /// Counts the refusals and the record floods of each account, to decide which are logged. The account of a client is its
    /// principal, or its peer if it has none. Beyond `limit` accounts, all counts restart.
    private var throttle = LogThrottle(limit: 4096)
    /// The sessions record this number of refusals of each account. Of later refusals of the account, the sessions record only
    /// the 128th, 256th, 512th …
    private static let recordedRefusals = 64
    /// Returns the present Unix time in seconds. The end of an invitation is a time on this clock. It is not a time on the
    /// loop's clock, so a restart of the daemon does not extend an invitation.
    private let unixTime: () -> Int

    /// Where `tokens` are kept.
    private enum Home {
        /// In the token file of this daemon, or in memory.
        case file
        /// In the store that all nodes share. `nodeTokens` are those of this node's `--tokens` file, which are valid in addition.
        /// This daemon does not change that file.
        case shared(any TokenStore, nodeTokens: TokenFile)
    }

    /// The tokens that are valid on this node in addition to `tokens`.
    private var nodeTokens: TokenFile {
        switch home {
        case .file: TokenFile()
        case .shared(_, let nodeTokens): nodeTokens
        }
    }

    /// If `sharedTokens` is given, its tokens are valid on all nodes, and `tokens` are valid on this node only.
    package init(
        _ rules: Rules, _ tokens: TokenFile, sharedTokens: (any TokenStore)? = nil,
        unixTime: @escaping () -> Int = { WallClock.seconds }
    ) {
        (self.rules, self.unixTime) = (rules, unixTime)
        guard let sharedTokens else {
            (self.tokens, home) = (tokens, .file)
            return
        }
        (self.tokens, home) = (sharedTokens.tokens, .shared(sharedTokens, nodeTokens: tokens))
        sharedTokens.changed = { [unowned self] in replaceTokens($0) }
    }

    /// What a client of this identity may do. The client has the grants of the rules for its principals. A guest also has the
    /// grant of the invitation by which the guest joined.
    package func rights(of identity: Identity) -> Rights {
        let tokenGrant = identity.token.flatMap(validInvitation(ofGuest:))?.grant
        return rules.rights(of: identity.principals, over: identity.kind, tokenGrant: tokenGrant)
    }

    // MARK: connected callers

    /// Adds a caller with a lasting connection, so that it is called when the rules or the tokens change.
    package func addCaller(_ caller: any AuthorizedCaller) {
        callers[ObjectIdentifier(caller)] = caller
    }
    /// Removes a caller that is no longer connected.
    package func removeCaller(_ caller: any AuthorizedCaller) {
        callers[ObjectIdentifier(caller)] = nil
    }

    /// Applies the rules of the configuration, to connected callers too.
    package func reload(_ options: Options) {
        rules = Rules(options.access.rules, ownUID: Rules.ownUID)
        for caller in Array(callers.values) { caller.updateRights() }
    }

    // MARK: tokens

    /// Returns the name of the token with the secret text `token`, if clients can sign in with this token. Returns nil in these
    /// cases:
    /// - No token has this text.
    /// - The text is the key of an invitation.
    /// - The token is accepted only in URLs.
    /// - The token belongs to a guest, and the invitation of the guest has ended.
    package func name(of token: String) -> String? {
        guard let name = tokens.name(of: token) else {
            return nodeTokens.name(of: token)
        }
        let invitation = tokens.invitation(ofGuest: name)
        return invitation?.isValid(forGuest: name, at: unixTime()) == false ? nil : name
    }

    /// Returns the name of the token for URLs with the secret text `token`; nil if no token for URLs has this text.
    package func nameForURLs(of token: String) -> String? {
        tokens.name(of: token, isForURLs: true) ?? nodeTokens.name(of: token, isForURLs: true)
    }

    /// The names of all tokens that are valid on this node.
    package var tokenNames: [String] { Set(tokens.names + nodeTokens.names).sorted() }

    /// The tokens that are valid on this node, sorted by name. An invitation that has ended is left out, and so are its guests.
    /// If a shared token has the name of a token of this node's file, only the shared token is described.
    package var descriptions: [TokenDescription] {
        let sharedNames = Set(tokens.names)
        let uses =
            tokens.uses + nodeTokens.uses.filter { !sharedNames.contains($0.name) }
        return uses.sorted { $0.name < $1.name }.compactMap { name, use, storedInvitation, until in
            if let until, until <= unixTime() { return nil }
            // The rights of a guest come from the invitation and from rules for the token's name.
            let rights = rules.rights(
                of: [.token(name)], over: .web, tokenGrant: storedInvitation?.grant)
            return TokenDescription(
                name: name, use: use, rights: rights,
                guestName: storedInvitation?.invitation.guestName,
                until: until.map { .seconds($0) })
        }
    }

    /// The names and hashes of the tokens, in the format of the token file.
    package var tokenText: String { tokens.textWithOpenScreens }

    /// Changes the tokens with `body`: the tokens of this daemon at once, or the shared tokens in the store. Then calls `done`
    /// with the result of `body`, or with the error. With shared tokens, `body` can be called several times: again after each
    /// change that another node has made meanwhile.
    private func change<Value>(
        _ body: @escaping (inout TokenFile) throws(TokenFile.TokenError) -> Value,
        _ done: @escaping (Result<Value, TokenFile.TokenError>) -> Void
    ) {
        switch home {
        case .file:
            do throws(TokenFile.TokenError) { done(.success(try body(&tokens))) } catch {
                done(.failure(error))
            }
        case .shared(let store, _):
            store.change(body) { [weak self] result in
                if case .success(let (_, newTokens)) = result { self?.tokens = newTokens }
                done(result.map { value, _ in value })
            }
        }
    }

    /// Makes a token, and passes its secret text to `done`. Fails if the `--tokens` file of this node has a token of that name.
    package func add(
        _ name: String, isForURLs: Bool, _ done: @escaping (Result<String, CallError>) -> Void
    ) {
        if nodeTokens.names.contains(name) {
            return done(.failure(Self.fileTokenError(name)))
        }
        change { tokens throws(TokenFile.TokenError) in
            try tokens.add(name, isForURLs: isForURLs)
        } _: { [weak self] result in
            if case .success = result { self?.logAdded(name) }
            done(result.mapError(Self.callError))
        }
    }

    private func logAdded(_ name: String) {
        let hasRule = rules.rules.contains { $0.principal == .token(name) }
        let hint =
            hasRule
            ? "" : "; no rule gives it rights yet; add: allow token:\(name) observe|play|operate"
        Log.write(.info, .access, "token \(name) created\(hint)", [.token(name)])
    }

    /// Removes a token, and closes the connections that were authenticated with the token. If the token is an invitation, also
    /// removes the tokens of its guests, and closes the connections of these guests. Passes the number of closed connections to
    /// `done`. Fails if only the `--tokens` file of this node has the token.
    package func remove(_ name: String, _ done: @escaping (Result<Int, CallError>) -> Void) {
        guard tokens.names.contains(name) || !nodeTokens.names.contains(name) else {
            return done(.failure(Self.fileTokenError(name)))
        }
        removeToken(name) { result in
            if case .success(let closedCount) = result {
                Log.write(
                    .info, .access, "token \(name) was removed; connections ended: \(closedCount)",
                    [.token(name)])
            }
            done(result.mapError(Self.callError))
        }
    }

    /// Removes a token, and if it is an invitation, those of its guests. Closes their connections, and passes their number to `done`.
    private func removeToken(
        _ name: String, _ done: @escaping (Result<Int, TokenFile.TokenError>) -> Void
    ) {
        let oldTokens = tokens
        change { tokens throws(TokenFile.TokenError) in
            try tokens.remove(name)
        } _: { [weak self] result in
            done(
                result.map { [weak self] in
                    self?.closeConnections { caller in
                        caller.identity.token.map {
                            $0 == name || oldTokens.isGuest($0, of: name)
                        } ?? false
                    } ?? 0
                })
        }
    }

    /// The error of a request to change a token of the `--tokens` file.
    private static func fileTokenError(_ name: String) -> CallError {
        .invalidParams(
            "name: \(name) is in the --tokens file of this node: edit the file, and send SIGHUP")
    }

    // MARK: invitations

    /// The name of a new invitation, and the key in its link.
    package typealias NewInvitation = (name: String, key: String)

    /// Adds an invitation that ends at the Unix time `until`, in seconds.
    package func invite(
        _ invitation: Invitation, until: Int,
        publication: StoredInvitation.Publication = .unstored,
        _ done: @escaping (Result<NewInvitation, CallError>) -> Void
    ) {
        let now = unixTime()
        change { tokens throws(TokenFile.TokenError) -> NewInvitation in
            try tokens.removeEndedInvitations(at: now)
            return try tokens.invite(StoredInvitation(invitation, until: until, publication))
        } _: {
            done($0.mapError(Self.callError))
        }
    }

    /// The name of the invitation whose link has this key; nil if no link has it.
    package func invitation(withKey key: String) -> String? { tokens.invitation(withKey: key) }

    /// Whether all nodes share the tokens.
    var hasSharedTokens: Bool { if case .shared = home { true } else { false } }

    /// The name of the invitation that has this code, if the code is still valid; else nil. Finds only codes that all nodes
    /// know; a code that only this daemon knows is in `JoinCodes`.
    package func invitation(withCode code: String) -> String? {
        tokens.invitation(withCode: code, at: unixTime())
    }

    /// The invitation of this name; nil if no invitation has the name, or if it has ended.
    package func validInvitation(named name: String) -> StoredInvitation? {
        tokens.invitation(named: name).flatMap { $0.isValid(at: unixTime()) ? $0 : nil }
    }

    /// The invitation by which a guest joined; nil if no guest has this name, or if the invitation has ended.
    private func validInvitation(ofGuest name: String) -> StoredInvitation? {
        tokens.invitation(ofGuest: name).flatMap {
            $0.isValid(forGuest: name, at: unixTime()) ? $0 : nil
        }
    }

    /// The invitations by which the guests of a session joined, by the names of the guests' tokens.
    package func guests(of session: SessionName) -> [String: Invitation] {
        tokens.guests(of: session)
            .filter { $0.value.isValid(forGuest: $0.key, at: unixTime()) }.mapValues(\.invitation)
    }

    /// The number of invitations to a session that have not ended.
    package func invitationCount(to session: SessionName) -> Int {
        tokens.invitations(to: session).count { $0.value.isValid(at: unixTime()) }
    }

    /// The name of a new guest, and the guest's token.
    package typealias NewGuest = (name: String, token: String)

    /// Makes a token for a guest who joins by the invitation with the name `invitation`. Fails with `used` if the invitation is
    /// for one guest, and a guest has already joined by it on any node.
    package func admit(
        to invitation: String,
        _ done: @escaping (Result<NewGuest, TokenFile.TokenError>) -> Void
    ) {
        let now = unixTime()
        change(
            { tokens throws(TokenFile.TokenError) -> NewGuest in
                // Guests whose tokens have ended leave their places.
                try tokens.removeEndedInvitations(at: now)
                return try tokens.admit(to: invitation, at: now)
            },
            { [weak self] result in
                // A guest of a screen has an end of its own.
                self?.tokensHaveChanged()
                done(result)
            })
    }

    // MARK: invitations on screens

    /// The invitation that the screens of a session show now; nil if they show none.
    package func openScreenInvitation(to session: SessionName) -> StoredInvitation? {
        tokens.screenInvitation(to: session).flatMap {
            $0.invitation.isValid(at: unixTime()) ? $0.invitation : nil
        }
    }

    /// The invitations for the screens of sessions, by session. They may be closed.
    package var screenInvitations: [SessionName: StoredInvitation] { tokens.screenInvitations }

    /// Lets guests join from the screens of a session for at least `minimum` seconds from now. An invitation that is not valid for
    /// so long is made, or extended, for `length` seconds.
    package func openScreen(
        _ session: SessionName, atLeast minimum: Int, length: Int,
        _ done: @escaping (Result<Void, TokenFile.TokenError>) -> Void
    ) {
        let now = unixTime()
        change(
            { tokens throws(TokenFile.TokenError) in
                try tokens.removeEndedInvitations(at: now)
                if let (_, invitation) = tokens.screenInvitation(to: session),
                    invitation.until >= now + minimum
                {
                    tokens.setScreen(of: session, isOpen: true)
                } else {
                    try tokens.openScreen(session, until: now + length)
                }
            },
            { [weak self] result in
                self?.tokensHaveChanged()
                done(result)
            })
    }

    /// Lets nobody join from the screens of a session any more. Guests who have joined keep their tokens.
    package func closeScreen(
        _ session: SessionName, _ done: @escaping (Result<Void, TokenFile.TokenError>) -> Void
    ) {
        change(
            { tokens throws(TokenFile.TokenError) in tokens.setScreen(of: session, isOpen: false) },
            done)
    }

    /// Removes the invitation for the screens of a session that was closed. Its guests lose their tokens, and their connections are
    /// closed.
    package func endScreen(
        of session: SessionName, _ done: @escaping (Result<Void, TokenFile.TokenError>) -> Void
    ) {
        guard let (name, _) = tokens.screenInvitation(to: session) else {
            return done(.success(()))
        }
        removeToken(name) { done($0.map { _ in }) }
    }

    /// Removes the invitations that have ended, and closes the connections of their guests. Returns how long to wait before the
    /// next call; nil if there are no invitations.
    package func endInvitations() -> Duration? {
        let (oldTokens, now) = (tokens, unixTime())
        if let end = tokens.nextEnd, end <= now {
            change { tokens throws(TokenFile.TokenError) in
                try tokens.removeEndedInvitations(at: now)
            } _: { result in
                guard case .failure(let error) = result else { return }
                Log.write(.error, .access, "ended invitations are not removed: \(error.why)")
            }
        }
        _ = closeConnections { caller in
            guard let name = caller.identity.token,
                let invitation = oldTokens.invitation(ofGuest: name)
            else { return false }
            return !invitation.isValid(forGuest: name, at: now)
        }
        // If a removal has failed or is not complete, `nextEnd` is in the past: the next call is then a second later.
        return tokens.nextEnd.map { .seconds(max(1, $0 - now)) }
    }

    // MARK: closing connections

    /// Closes the connections for which `shouldClose` is true, and returns their number.
    private func closeConnections(where shouldClose: (any AuthorizedCaller) -> Bool) -> Int {
        let closing = callers.values.filter(shouldClose)
        for caller in closing { caller.close() }
        return closing.count
    }

    /// Reads the token file again, because another program may have changed it, and closes the
    /// connections that were authenticated with a removed token. Returns the error, and changes
    /// nothing, if the file cannot be read.
    package func readTokens() -> TokenFile.TokenError? {
        do throws(TokenFile.TokenError) {
            switch home {
            case .file:
                var newTokens = tokens
                try newTokens.read()
                replaceTokens(newTokens)
            case .shared(let store, let oldTokens):
                var newTokens = oldTokens
                try newTokens.read()
                home = .shared(store, nodeTokens: newTokens)
                closeConnections(ofTokensRemovedFrom: oldTokens)
            }
            return nil
        } catch { return error }
    }

    /// Called when `tokens` were replaced by newer ones, after the connections of removed tokens were closed.
    var tokensHaveChanged: () -> Void = {}

    /// Replaces the tokens. Closes the connections that were authenticated with a token that no longer exists.
    private func replaceTokens(_ newTokens: TokenFile) {
        let oldTokens = exchange(&tokens, with: newTokens)
        closeConnections(ofTokensRemovedFrom: oldTokens)
        tokensHaveChanged()
    }

    /// Closes the connections whose token is in `oldTokens`, and is now removed or replaced by another token of the same name.
    private func closeConnections(ofTokensRemovedFrom oldTokens: TokenFile) {
        _ = closeConnections { caller in
            guard let name = caller.identity.token, oldTokens.names.contains(name) else {
                return false
            }
            return !tokens.hasSameToken(name, as: oldTokens)
                && !nodeTokens.hasSameToken(name, as: oldTokens)
        }
    }

    /// The error of a request whose change of the tokens has failed.
    static func callError(_ failure: TokenFile.TokenError) -> CallError {
        switch failure {
        case .name(let why): .invalidParams("name: \(why)")
        case .storage(let why): .refused(.storage(why: why, outcome: .undone))
        case .limit(let limit): .refused(.limit(which: "tokens", limit: limit))
        case .guests(let limit): .refused(.limit(which: "guests", limit: limit))
        case .unknown(let why): .refused(.storage(why: why, outcome: .unknown))
        case .used: .invalidParams("name: \(failure.why)")
        }
    }

    // MARK: refusals

    /// Counts a refused connection. Each account has one count, for its refused connections and its forbidden requests
    /// together. The connection is logged if the count is now 1, 2, 4, 8 … `why` is the reason in the log.
    package func logRefusedConnection(
        _ identity: Identity,
        _ why: String =
            "TLS: handshake failed: the client does not speak TLS, or a certificate was rejected"
    ) {
        let count = throttle.count(identity.account)
        guard LogThrottle.isLogged(count) else { return }
        let times = count == 1 ? "" : "; \(count) refused so far"
        Log.write(
            .warning, .forbidden, "\(identity.logDescription): \(why)\(times)",
            identity.logFields + [.reason(why)])
    }

    /// Counts a client that was disconnected because its TLS records carried no data. The 1st, 2nd, 4th, 8th … time of an
    /// account is logged.
    package func reportRecordFlood(_ identity: Identity, records: Int) {
        throttle.write(
            .warning, .limited, of: "tls \(identity.account)",
            "\(identity.logDescription): closed after \(records) TLS records without data "
                + "(handshake messages, alerts or empty records)",
            identity.logFields + [.reason("tlsRecords")])
    }

    /// Counts a forbidden request. The 1st, 2nd, 4th, 8th … refusal of an account is logged. Returns whether the sessions
    /// should record the request. The result is true for the first `recordedRefusals` refusals of an account, and for later
    /// refusals that are logged. Thus a flood of requests neither fills the log nor displaces the records of other refusals. An
    /// error other than `forbidden` is not counted, and the result for this error is true.
    package func reportForbidden(_ error: RequestError, _ identity: Identity) -> Bool {
        guard case .forbidden(let action, _, let needs) = error else { return true }
        let count = throttle.count(identity.account)
        guard LogThrottle.isLogged(count) else { return count <= Self.recordedRefusals }
        let actionName =
            switch action {
            case .event(let name), .method(let name): name
            }
        let times = count == 1 ? "" : "; \(count) refused so far"
        Log.write(
            .warning, .forbidden,
            "\(identity.logDescription) may not \(actionName): needs \(needs)\(times)",
            identity.logFields + [.event(actionName), .reason("needs \(needs)")])
        return true
    }
}
