import Access
import GameFlow
import RPC
import Sessions

/// Knows the rules and the tokens, and who is in.
final class Authorizer: TokenStore {
    private(set) var rules: Rules
    private var tokens: TokenFile
    private var guests: [ObjectIdentifier: any Guest] = [:]
    /// How often somebody was told that he may not, since the start.
    private(set) var refusals = 0
    /// How many connections were closed because their TLS records carried no data, since the start.
    private(set) var floods = 0
    private var told = LogThrottle(limit: 4096)
    /// So many of an account are kept before only those of a power of two are.
    private static let kept = 64

    init(_ rules: Rules, _ tokens: TokenFile) {
        (self.rules, self.tokens) = (rules, tokens)
    }

    func rights(of visitor: Identity) -> Rights {
        rules.rights(of: visitor.principals, by: visitor.kind)
    }

    // MARK: who is in

    /// Somebody stays, until he leaves.
    func enter(_ guest: any Guest) { guests[ObjectIdentifier(guest)] = guest }
    func leave(_ guest: any Guest) { guests[ObjectIdentifier(guest)] = nil }

    /// Other rules hold from now on, for those who are in as well.
    func take(_ rules: Rules) {
        self.rules = rules
        for guest in Array(guests.values) { guest.review() }
    }

    // MARK: tokens

    /// The name of the token, if it is one.
    func name(of token: String) -> String? { tokens.name(of: token) }

    var names: [String] { tokens.names }
    /// The tokens' names and hashes, in the form of the token file.
    var tokenText: String { tokens.text }

    func add(_ name: String) throws(CallError) -> String {
        do throws(TokenFile.Failure) {
            let token = try tokens.add(name)
            let isNamed = rules.rules.contains { $0.principal == .token(name) }
            let hint =
                isNamed ? "" : "; no rule names it yet: allow token:\(name) observe|play|operate"
            Log.write(.info, "token \(name) was made\(hint)")
            return token
        } catch { throw Self.explain(error) }
    }

    func remove(_ name: String) throws(CallError) -> Int {
        do throws(TokenFile.Failure) { try tokens.remove(name) } catch { throw Self.explain(error) }
        let ended = showOut { $0.visitor.token == name }
        Log.write(.info, "token \(name) was removed; connections ended: \(ended)")
        return ended
    }

    private func showOut(_ isMeant: (any Guest) -> Bool) -> Int {
        let meant = guests.values.filter(isMeant)
        for guest in meant { guest.close() }
        return meant.count
    }

    /// The file may have been written by somebody else: reads it again. Who came by a token that is gone is shown
    /// out. False, and nothing is changed, if it cannot be read.
    func readTokens() -> TokenFile.Failure? {
        let before = tokens
        do throws(TokenFile.Failure) { try tokens.read() } catch { return error }
        _ = showOut { guest in
            guest.visitor.token.map { !tokens.has($0, as: before) } ?? false
        }
        return nil
    }

    private static func explain(_ failure: TokenFile.Failure) -> CallError {
        switch failure {
        case .name(let why): .invalidParams("name: \(why)")
        case .file(let why): .refused(.storage(why: why, outcome: .undone))
        case .limit(let limit): .refused(.limit(which: "tokens", limit: limit))
        }
    }

    // MARK: who may not

    /// Somebody who came for TLS did not get as far as that. Told as seldom as the others.
    func failed(_ visitor: Identity) {
        let count = told.count(visitor.account)
        guard LogThrottle.isWorthALine(count) else { return }
        let times = count == 1 ? "" : "; \(count) refused so far"
        Log.write(
            .warning,
            "\(visitor.described): no TLS came about: something else was spoken, or a certificate is not good\(times)"
        )
    }

    /// A client was cut off because its TLS records carried no data.
    func flooded(_ visitor: Identity, records: Int) {
        floods += 1
        let count = told.count("tls \(visitor.account)")
        guard LogThrottle.isWorthALine(count) else { return }
        let times = count == 1 ? "" : "; \(count) times so far"
        Log.write(
            .warning,
            "\(visitor.described): closed after \(records) TLS records without data "
                + "(handshake messages, alerts or empty records)\(times)")
    }

    /// Somebody is told that he may not. The log has the first of each account, and then those of a power of
    /// two; sessions remember the first some. A flood of them is no flood of lines, and washes nothing away.
    func forbade(_ error: RequestError, _ visitor: Identity) -> Bool {
        guard case .forbidden(let asked, _, let needs) = error else { return true }
        refusals += 1
        let count = told.count(visitor.account)
        guard LogThrottle.isWorthALine(count) else { return count <= Self.kept }
        let what =
            switch asked {
            case .event(let name), .method(let name): name
            }
        let times = count == 1 ? "" : "; \(count) refused so far"
        Log.write(.warning, "\(visitor.described) may not \(what): needs \(needs)\(times)")
        return true
    }
}
