import Access
import Connections
import GameFlow
import Parts
import RPC
import Sessions
import TestSupport
import Testing
import Timers

@testable import GamedServer

/// The entries of the list of tokens.
@Suite struct TokenListTests {
    @Test func `a new token for signing in comes with the address of the desk`() throws {
        let daemon = try DaemonProcess(["--http", "127.0.0.1:0"])
        let client = try Client(daemon.socket)
        let page = ",\"page\":\"\(daemon.webAddress)\"}"
        let (desk, button) = (client.ask("token add desk"), client.ask("token add button url=true"))
        #expect(desk.hasSuffix(page), "\(desk)")
        #expect(button.hasPrefix("OK") && !button.contains("page"), "\(button)")
    }

    @Test
    func `the list is sorted by name, and has the use, the rights and the end of each token`()
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
        let invitation = Invitation(SessionName("quiz")!, .play, guestName: "Ann")
        let savedInvitation = try result { authorizer.invite(invitation, until: 2_000, $0) }
        let guest = try result { authorizer.admit(to: savedInvitation.name, $0) }

        let entries = Dictionary(
            uniqueKeysWithValues: authorizer.descriptions.map { ($0.name, $0) })
        #expect(authorizer.descriptions.map(\.name) == entries.keys.sorted())
        #expect(entries.count == 5)
        #expect(entries["stranger"]?.rights.highestRole == nil)
        #expect(entries["hall"]?.rights.highestRole == .play)
        #expect(entries["hall"]?.rights.grants.map(\.session.pattern) == ["quiz*", "main"])
        #expect(entries["hall"]?.until == nil)
        #expect(entries["button"]?.use == .url)
        let uses: [(String, TokenDescription.Use)] = [
            (savedInvitation.name, .invitation), (guest.name, .guest),
        ]
        for (name, use) in uses {
            let entry = try #require(entries[name])
            #expect(entry.use == use)
            #expect(entry.guestName == "Ann")
            #expect(entry.rights.grants.map(\.session.pattern) == ["quiz"])
            #expect(entry.until == .seconds(2_000))
        }
    }

    @Test func `an invitation that has ended and its guests are not in the list`() throws {
        final class WallClock { var seconds = 1_000 }
        let clock = WallClock()
        let authorizer = Authorizer(
            Rules(ownUID: 990), try TokenFile(nil), unixTime: { clock.seconds })
        let invitation = Invitation(SessionName("quiz")!, .play)
        let savedInvitation = try result { authorizer.invite(invitation, until: 2_000, $0) }
        authorizer.admit(to: savedInvitation.name) { _ in }
        #expect(authorizer.descriptions.count == 2)
        clock.seconds = 2_000
        #expect(authorizer.descriptions.isEmpty)
    }

    /// The result that `call` delivers before it returns. Throws the error that `call` delivers. Also throws if `call` delivers
    /// nothing.
    private func result<Value, Failure>(
        _ call: (@escaping (Result<Value, Failure>) -> Void) -> Void
    ) throws -> Value {
        var result: Result<Value, Failure>?
        call { result = $0 }
        return try #require(result).get()
    }
}
