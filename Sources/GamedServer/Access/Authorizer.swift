import GameFlow
import RPC
import Sessions
import Timers

/// Decides what peers may do: has the rules and the tokens, and the connected peers whose rights
/// depend on them.
final class Authorizer: TokenStore {
    private(set) var rules: Rules
    /// The tokens of this daemon, or a copy of those that all nodes share.
    private var tokens: TokenFile
    /// Changes the tokens that all nodes share; nil if the tokens are those of this daemon alone.
    private let shared: SharedTokens?
    /// The tokens of this node's `--tokens` file, which are valid beside the shared ones; this daemon does not change
    /// them.
    private var own: TokenFile?
    private var peers: [ObjectIdentifier: any AuthorizedPeer] = [:]
    /// The number of forbidden requests since the start.
    private(set) var refusals = 0
    /// The number of connections closed since the start because their TLS records carried no data.
    private(set) var floods = 0
    private var told = LogThrottle(limit: 4096)
    /// How many refusals of an account are recorded before only those with a power of two as their
    /// number are.
    private static let kept = 64
    /// The Unix time in seconds: invitations end by the wall clock, over restarts.
    private let unixTime: () -> Int

    /// With `shared`, the tokens are those of the store, and `tokens` are valid on this node only.
    init(
        _ rules: Rules, _ tokens: TokenFile, shared: SharedTokens? = nil,
        unixTime: @escaping () -> Int = { WallClock.seconds }
    ) {
        (self.rules, self.shared, self.unixTime) = (rules, shared, unixTime)
        (self.tokens, own) = shared.map { ($0.tokens, tokens) } ?? (tokens, nil)
        shared?.changed = { [unowned self] in take($0) }
    }

    func rights(of identity: Identity) -> Rights {
        let own = identity.token.flatMap(validInvitation(ofGuest:))?.invitation.grant
        return rules.rights(of: identity.principals, by: identity.kind, own: own)
    }

    // MARK: connected peers

    /// Adds a connected peer.
    func enter(_ peer: any AuthorizedPeer) { peers[ObjectIdentifier(peer)] = peer }
    func leave(_ peer: any AuthorizedPeer) { peers[ObjectIdentifier(peer)] = nil }

    /// Replaces the rules, and applies them to connected peers too.
    func take(_ rules: Rules) {
        self.rules = rules
        for peer in Array(peers.values) { peer.review() }
    }

    // MARK: tokens

    /// The name of a token; nil if there is no such token, or if it has ended.
    func name(of token: String) -> String? {
        guard let name = tokens.name(of: token) else { return own?.name(of: token) }
        let end = tokens.invitation(ofGuest: name)?.until
        return end.map { $0 > unixTime() } ?? true ? name : nil
    }

    /// The name of a token for URLs.
    func nameForURLs(of token: String) -> String? {
        tokens.name(of: token, isForURLs: true) ?? own?.name(of: token, isForURLs: true)
    }

    var names: [String] { Set(tokens.names + (own?.names ?? [])).sorted() }

    var descriptions: [TokenDescription] {
        let shared = Set(tokens.names)
        let all = tokens.uses + (own?.uses ?? []).filter { !shared.contains($0.name) }
        return all.sorted { $0.name < $1.name }.compactMap { name, use, stored in
            if let stored, stored.until <= unixTime() { return nil }
            // The rules for its name count, too.
            let rights = rules.rights(
                of: [.token(name)], by: .web, own: stored?.invitation.grant)
            return TokenDescription(
                name: name, use: use, rights: rights, guest: stored?.invitation.guest,
                until: stored.map { .seconds($0.until) })
        }
    }

    /// The names and hashes of the tokens, in the format of the token file.
    var tokenText: String { tokens.text }

    /// Changes the tokens, at once or in the store.
    private func change<Value>(
        _ body: @escaping (inout TokenFile) throws(TokenFile.TokenError) -> Value,
        _ done: @escaping (Result<Value, TokenFile.TokenError>) -> Void
    ) {
        guard let shared else {
            do throws(TokenFile.TokenError) { done(.success(try body(&tokens))) } catch {
                done(.failure(error))
            }
            return
        }
        shared.change(body) { [weak self] result in
            if case .success(let (_, fresh)) = result { self?.tokens = fresh }
            done(result.map { value, _ in value })
        }
    }

    func add(
        _ name: String, isForURLs: Bool, _ done: @escaping (Result<String, CallError>) -> Void
    ) {
        if own?.names.contains(name) == true { return done(.failure(Self.isInFile(name))) }
        change { tokens throws(TokenFile.TokenError) in
            try tokens.add(name, isForURLs: isForURLs)
        } _: { [weak self] result in
            if case .success = result { self?.logAdded(name) }
            done(result.mapError(Self.explain))
        }
    }

    private func logAdded(_ name: String) {
        let isNamed = rules.rules.contains { $0.principal == .token(name) }
        let hint =
            isNamed
            ? "" : "; no rule gives it rights yet; add: allow token:\(name) observe|play|operate"
        Log.write(.info, "token \(name) created\(hint)")
    }

    func remove(_ name: String, _ done: @escaping (Result<Int, CallError>) -> Void) {
        guard tokens.names.contains(name) || own?.names.contains(name) != true else {
            return done(.failure(Self.isInFile(name)))
        }
        let before = tokens
        change { tokens throws(TokenFile.TokenError) in
            try tokens.remove(name)
        } _: { [weak self] result in
            let result = result.map { [weak self] in
                self?.showOut { peer in
                    peer.identity.token.map { $0 == name || before.isGuest($0, of: name) } ?? false
                } ?? 0
            }
            if case .success(let ended) = result {
                Log.write(.info, "token \(name) was removed; connections ended: \(ended)")
            }
            done(result.mapError(Self.explain))
        }
    }

    private static func isInFile(_ name: String) -> CallError {
        .invalidParams(
            "name: \(name) is in the --tokens file of this node: edit the file, and send SIGHUP")
    }

    // MARK: invitations

    /// An invitation's name, and the text that a link carries.
    typealias Invited = (name: String, key: String)

    /// Adds an invitation.
    func invite(
        _ invitation: Invitation, until: Int, code: StoredInvitation.Code? = nil,
        _ done: @escaping (Result<Invited, CallError>) -> Void
    ) {
        let now = unixTime()
        change { tokens throws(TokenFile.TokenError) -> Invited in
            try tokens.removeEnded(by: now)
            return try tokens.invite(StoredInvitation(invitation, until: until, code: code))
        } _: {
            done($0.mapError(Self.explain))
        }
    }

    /// The name of the invitation to which a link leads; nil if there is none.
    func invitation(withKey key: String) -> String? { tokens.invitation(withKey: key) }

    /// Whether the tokens are those of all nodes.
    var isShared: Bool { shared != nil }

    /// The name of the invitation with a code that all nodes know; nil if there is none.
    func invitation(withCode code: String) -> String? {
        tokens.invitation(withCode: code, at: unixTime())
    }

    /// An invitation that has not ended.
    func validInvitation(named name: String) -> StoredInvitation? {
        tokens.invitation(named: name).flatMap { $0.until > unixTime() ? $0 : nil }
    }

    private func validInvitation(ofGuest name: String) -> StoredInvitation? {
        tokens.invitation(ofGuest: name).flatMap { $0.until > unixTime() ? $0 : nil }
    }

    /// The guests of a session with their invitations, by name.
    func guests(of session: SessionName) -> [String: Invitation] {
        tokens.guests(of: session).filter { $0.value.until > unixTime() }.mapValues(\.invitation)
    }

    /// The number of invitations to a session that have not ended.
    func invitations(to session: SessionName) -> Int {
        tokens.invitations(to: session).count { $0.value.until > unixTime() }
    }

    /// A guest's name and token.
    typealias Admitted = (name: String, token: String)

    /// Makes a token for a guest who joins. Fails with `used` if the invitation was for one, and was used on any node.
    func admit(
        to invitation: String,
        _ done: @escaping (Result<Admitted, TokenFile.TokenError>) -> Void
    ) {
        change(
            { tokens throws(TokenFile.TokenError) -> Admitted in try tokens.admit(to: invitation) },
            done)
    }

    /// Removes the invitations that have ended and closes the connections of their guests. Returns the time until the
    /// next one ends; nil if there is none.
    func endInvitations() -> Duration? {
        let (before, now) = (tokens, unixTime())
        // Each change of shared tokens is written: none is made if nothing has ended.
        if let end = tokens.nextEnd, end <= now {
            change { tokens throws(TokenFile.TokenError) in
                try tokens.removeEnded(by: now)
            } _: { result in
                guard case .failure(let error) = result else { return }
                Log.write(.error, "ended invitations are not removed: \(error.why)")
            }
        }
        _ = showOut { peer in
            peer.identity.token.flatMap(before.invitation(ofGuest:)).map { $0.until <= now }
                ?? false
        }
        // An invitation that has ended but could not be removed yet is tried again.
        return tokens.nextEnd.map { .seconds(max(1, $0 - now)) }
    }

    // MARK: closing connections

    private func showOut(_ isMeant: (any AuthorizedPeer) -> Bool) -> Int {
        let meant = peers.values.filter(isMeant)
        for peer in meant { peer.close() }
        return meant.count
    }

    /// Reads the token file again, because another program may have changed it, and closes the
    /// connections that were authenticated with a removed token. Returns the error, and changes
    /// nothing, if the file cannot be read.
    func readTokens() -> TokenFile.TokenError? {
        guard var own else {
            var fresh = tokens
            do throws(TokenFile.TokenError) { try fresh.read() } catch { return error }
            take(fresh)
            return nil
        }
        do throws(TokenFile.TokenError) { try own.read() } catch { return error }
        let before = exchange(&self.own, with: own)
        closeConnections(withoutTokenOf: before)
        return nil
    }

    /// Called when the tokens may have changed, after connections were closed.
    var tokensHaveChanged: () -> Void = {}

    /// Replaces the tokens, and closes the connections that were authenticated with a removed one.
    private func take(_ fresh: TokenFile) {
        let before = exchange(&tokens, with: fresh)
        closeConnections(withoutTokenOf: before)
        tokensHaveChanged()
    }

    private func closeConnections(withoutTokenOf before: TokenFile?) {
        guard let before else { return }
        _ = showOut { peer in
            guard let name = peer.identity.token, before.names.contains(name) else { return false }
            return !tokens.has(name, as: before) && own?.has(name, as: before) != true
        }
    }

    static func explain(_ failure: TokenFile.TokenError) -> CallError {
        switch failure {
        case .name(let why): .invalidParams("name: \(why)")
        case .file(let why): .refused(.storage(why: why, outcome: .undone))
        case .limit(let limit): .refused(.limit(which: "tokens", limit: limit))
        case .unknown(let why): .refused(.storage(why: why, outcome: .unknown))
        case .used: .invalidParams("name: \(failure.why)")
        }
    }

    // MARK: refusals

    /// Logs a connection that was refused, by default for a failed TLS handshake, as rarely as forbidden requests.
    func failed(
        _ identity: Identity,
        _ why: String =
            "TLS: handshake failed: the client does not speak TLS, or a certificate was rejected"
    ) {
        let count = told.count(identity.account)
        guard LogThrottle.isLogged(count) else { return }
        let times = count == 1 ? "" : "; \(count) refused so far"
        Log.write(
            .warning,
            "\(identity.described): \(why)\(times)")
    }

    /// Logs a client that was disconnected because its TLS records carried no data.
    func reportRecordFlood(_ identity: Identity, records: Int) {
        floods += 1
        let count = told.count("tls \(identity.account)")
        guard LogThrottle.isLogged(count) else { return }
        let times = count == 1 ? "" : "; \(count) times so far"
        Log.write(
            .warning,
            "\(identity.described): closed after \(records) TLS records without data "
                + "(handshake messages, alerts or empty records)\(times)")
    }

    /// Counts a forbidden request. Of each account the first one is logged, and then those with a
    /// power of two as their number. Returns whether the sessions should record it: the first ones,
    /// and those that are logged. Thus a flood neither fills the log nor displaces other records.
    func recordForbidden(_ error: RequestError, _ identity: Identity) -> Bool {
        guard case .forbidden(let asked, _, let needs) = error else { return true }
        refusals += 1
        let count = told.count(identity.account)
        guard LogThrottle.isLogged(count) else { return count <= Self.kept }
        let what =
            switch asked {
            case .event(let name), .method(let name): name
            }
        let times = count == 1 ? "" : "; \(count) refused so far"
        Log.write(.warning, "\(identity.described) may not \(what): needs \(needs)\(times)")
        return true
    }
}
