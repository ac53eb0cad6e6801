import GameFlow
import RPC
import Sessions
import Timers

/// Decides what peers may do: has the rules and the tokens, and the connected peers whose rights
/// depend on them.
final class Authorizer: TokenStore {
    private(set) var rules: Rules
    private var tokens: TokenFile
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

    init(
        _ rules: Rules, _ tokens: TokenFile, unixTime: @escaping () -> Int = { WallClock.seconds }
    ) {
        (self.rules, self.tokens, self.unixTime) = (rules, tokens, unixTime)
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
        tokens.name(of: token).flatMap { name in
            let end = tokens.invitation(ofGuest: name)?.until
            return end.map { $0 > unixTime() } ?? true ? name : nil
        }
    }

    /// The name of a token for URLs.
    func nameForURLs(of token: String) -> String? { tokens.name(of: token, isForURLs: true) }

    var names: [String] { tokens.names }

    var descriptions: [TokenDescription] {
        tokens.uses.compactMap { name, use, stored in
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

    func add(_ name: String, isForURLs: Bool) throws(CallError) -> String {
        do throws(TokenFile.TokenError) {
            let token = try tokens.add(name, isForURLs: isForURLs)
            let isNamed = rules.rules.contains { $0.principal == .token(name) }
            let hint =
                isNamed
                ? ""
                : "; no rule gives it rights yet; add: allow token:\(name) observe|play|operate"
            Log.write(.info, "token \(name) created\(hint)")
            return token
        } catch { throw Self.explain(error) }
    }

    func remove(_ name: String) throws(CallError) -> Int {
        let before = tokens
        do throws(TokenFile.TokenError) { try tokens.remove(name) } catch {
            throw Self.explain(error)
        }
        let ended = showOut { peer in
            peer.identity.token.map { $0 == name || before.isGuest($0, of: name) } ?? false
        }
        Log.write(.info, "token \(name) was removed; connections ended: \(ended)")
        return ended
    }

    // MARK: invitations

    /// Adds an invitation, and returns its name and the text that a link carries.
    func invite(_ invitation: Invitation, until: Int) throws(CallError) -> (
        name: String, key: String
    ) {
        do throws(TokenFile.TokenError) {
            try tokens.removeEnded(by: unixTime())
            return try tokens.invite(StoredInvitation(invitation, until: until))
        } catch { throw Self.explain(error) }
    }

    /// The name of the invitation to which a link leads; nil if there is none.
    func invitation(withKey key: String) -> String? { tokens.invitation(withKey: key) }

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

    /// Makes a token for one who joins.
    func admit(to invitation: String) throws(CallError) -> (name: String, token: String) {
        do throws(TokenFile.TokenError) { return try tokens.admit(to: invitation) } catch {
            throw Self.explain(error)
        }
    }

    /// Removes the invitations that have ended and closes the connections of their guests. Returns the time until the
    /// next one ends; nil if there is none.
    func endInvitations() -> Duration? {
        let (before, now) = (tokens, unixTime())
        do throws(TokenFile.TokenError) { try tokens.removeEnded(by: now) } catch {
            Log.write(.error, "ended invitations are not removed: \(Self.explain(error).why)")
        }
        _ = showOut { peer in
            peer.identity.token.flatMap(before.invitation(ofGuest:)).map { $0.until <= now }
                ?? false
        }
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
        let before = tokens
        do throws(TokenFile.TokenError) { try tokens.read() } catch { return error }
        _ = showOut { peer in
            peer.identity.token.map { !tokens.has($0, as: before) } ?? false
        }
        return nil
    }

    private static func explain(_ failure: TokenFile.TokenError) -> CallError {
        switch failure {
        case .name(let why): .invalidParams("name: \(why)")
        case .file(let why): .refused(.storage(why: why, outcome: .undone))
        case .limit(let limit): .refused(.limit(which: "tokens", limit: limit))
        }
    }

    // MARK: refusals

    /// Logs a failed TLS handshake, as rarely as forbidden requests.
    func failed(
        _ identity: Identity,
        _ why: String =
            "handshake failed: the client does not speak TLS, or a certificate was rejected"
    ) {
        let count = told.count(identity.account)
        guard LogThrottle.isLogged(count) else { return }
        let times = count == 1 ? "" : "; \(count) refused so far"
        Log.write(
            .warning,
            "\(identity.described): TLS: \(why)\(times)")
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
