import GameFlow
import RPC
import Sessions

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

    init(_ rules: Rules, _ tokens: TokenFile) {
        (self.rules, self.tokens) = (rules, tokens)
    }

    func rights(of identity: Identity) -> Rights {
        rules.rights(of: identity.principals, by: identity.kind)
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

    /// The name of a token; nil if there is no such token.
    func name(of token: String) -> String? { tokens.name(of: token) }

    /// The name of a token for URLs.
    func nameForURLs(of token: String) -> String? { tokens.name(of: token, isForURLs: true) }

    var names: [String] { tokens.names }
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
        do throws(TokenFile.TokenError) { try tokens.remove(name) } catch {
            throw Self.explain(error)
        }
        let ended = showOut { $0.identity.token == name }
        Log.write(.info, "token \(name) was removed; connections ended: \(ended)")
        return ended
    }

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
    func failed(_ identity: Identity) {
        let count = told.count(identity.account)
        guard LogThrottle.isLogged(count) else { return }
        let times = count == 1 ? "" : "; \(count) refused so far"
        Log.write(
            .warning,
            "\(identity.described): TLS: handshake failed: the client does not speak TLS, or a certificate was rejected\(times)"
        )
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
