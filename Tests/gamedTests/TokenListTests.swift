import GameFlow
import RPC
import Sessions
import TestSupport
import Testing
import Timers

@testable import GamedServer

/// The entries of the list of tokens.
@Suite struct TokenListTests {
    @Test
    func `the list is sorted by name, and has the use, the rights and the expiry of each token`()
        throws
    {
        let rules = Rules(
            [
                Rule(.token("hall"), Grant(.observe, session: Glob("quiz*"))),
                Rule(.token("hall"), Grant(.play, session: Glob("main"))),
            ], ownUID: 990)
        let authorizer = Authorizer(rules, try TokenFile(nil), unixTime: { 1_000 })
        for name in ["stranger", "hall"] { authorizer.add(name, isForURLs: false) { _ in } }
        authorizer.add("button", isForURLs: true) { _ in }
        let invitation = Invitation(SessionName("quiz")!, .play, guest: "Ann")
        let made = try result { authorizer.invite(invitation, until: 2_000, $0) }
        let guest = try result { authorizer.admit(to: made.name, $0) }

        let all = Dictionary(
            uniqueKeysWithValues: authorizer.descriptions.map { ($0.name, $0) })
        #expect(authorizer.descriptions.map(\.name) == all.keys.sorted())
        #expect(all.count == 5)
        #expect(all["stranger"]?.rights.highest == nil)
        #expect(all["hall"]?.rights.highest == .play)
        #expect(all["hall"]?.rights.grants.map(\.session.pattern) == ["quiz*", "main"])
        #expect(all["hall"]?.until == nil)
        #expect(all["button"]?.use == .url)
        for (name, use) in [(made.name, TokenDescription.Use.invitation), (guest.name, .guest)] {
            let found = try #require(all[name])
            #expect(found.use == use)
            #expect(found.guest == "Ann")
            #expect(found.rights.grants.map(\.session.pattern) == ["quiz"])
            #expect(found.until == .seconds(2_000))
        }
    }

    @Test func `an invitation that has ended is not in the list, nor are its guests`() throws {
        final class WallClock { var seconds = 1_000 }
        let clock = WallClock()
        let authorizer = Authorizer(
            Rules(ownUID: 990), try TokenFile(nil), unixTime: { clock.seconds })
        let invitation = Invitation(SessionName("quiz")!, .play)
        let made = try result { authorizer.invite(invitation, until: 2_000, $0) }
        authorizer.admit(to: made.name) { _ in }
        #expect(authorizer.descriptions.count == 2)
        clock.seconds = 2_000
        #expect(authorizer.descriptions.isEmpty)
    }

    /// The result that the call delivers before it returns. Throws the delivered error, or that of `#require` if nothing was
    /// delivered.
    private func result<Value, Failure>(
        _ call: (@escaping (Result<Value, Failure>) -> Void) -> Void
    ) throws -> Value {
        var result: Result<Value, Failure>?
        call { result = $0 }
        return try #require(result).get()
    }
}
