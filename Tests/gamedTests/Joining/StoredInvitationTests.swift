import Access
import Connections
import EventLoop
import GameFlow
import RPC
import Room
import Sessions
import TestSupport
import Testing

@testable import GamedServer

/// Invitations and their guests in the token file.
@Suite struct StoredInvitationTests {
    private let folder = Folder()
    private var path: String { "\(folder.path)/tokens" }
    private let quiz = SessionName("quiz")!

    private func storedInvitation(
        _ guest: String? = nil, until: Int = 1000, isOnce: Bool = false
    ) -> StoredInvitation {
        let bound = guest.map { [Member("player", $0)] } ?? []
        return StoredInvitation(
            Invitation(
                quiz, .play, event: Glob("buzz"), boundArguments: bound, guestName: guest,
                isOnce: isOnce),
            until: until)
    }

    @Test(arguments: ["Ann", "عبد الله", "王小明", "\u{202E}x", "a\"b\\c", "line\u{2028}end", "🦉"])
    func `an invitation and its guests are restored after a restart, for any name`(_ name: String)
        throws
    {
        var tokens = try TokenFile(path)
        let (invitation, key) = try tokens.invite(storedInvitation(name))
        let (guest, token) = try tokens.admit(to: invitation, at: 0)
        let reread = try TokenFile(path)
        #expect(reread.name(of: token) == guest)
        #expect(reread.invitation(withKey: key) == invitation)
        #expect(
            reread.invitation(ofGuest: guest)?.invitation.boundArguments == [Member("player", name)]
        )
        #expect(reread.invitation(ofGuest: guest)?.invitation.guestName == name)
        #expect(reread.invitation(named: invitation)?.guestCount == 1)
        #expect(!folder.text("tokens").contains(key))
        #expect(!folder.text("tokens").contains(token))
    }

    @Test
    func `a link's secret is valid only for joining, and a token for URLs is not a link's secret`()
        throws
    {
        var tokens = try TokenFile(nil)
        let (_, key) = try tokens.invite(storedInvitation())
        #expect(key.count == 26)
        #expect(tokens.name(of: key) == nil)
        #expect(tokens.name(of: key, isForURLs: true) == nil)
        let urlToken = try tokens.add("qr", isForURLs: true)
        #expect(tokens.invitation(withKey: urlToken) == nil)
        #expect(tokens.invitation(withKey: try tokens.add("desk")) == nil)
    }

    @Test func `each of a hundred guests has a token, and is removed with the invitation`() throws {
        var tokens = try TokenFile(nil)
        let desk = try tokens.add("desk")
        let (invitation, _) = try tokens.invite(storedInvitation())
        let guests = try (0..<100).map { _ in try tokens.admit(to: invitation, at: 0) }
        #expect(Set(guests.map(\.name)).count == 100)
        #expect(guests.allSatisfy { tokens.name(of: $0.token) == $0.name })
        try tokens.remove(guests[0].name)
        #expect(tokens.name(of: guests[0].token) == nil)
        #expect(tokens.name(of: guests[1].token) == guests[1].name)
        try tokens.remove(invitation)
        #expect(tokens.names == ["desk"])
        #expect(tokens.name(of: desk) == "desk")
    }

    @Test func `a token that is named like a guest of an invitation is not its guest`() throws {
        var tokens = try TokenFile(nil)
        let (invitation, _) = try tokens.invite(storedInvitation())
        let otherToken = try tokens.add("\(invitation).9")
        #expect(tokens.invitation(ofGuest: "\(invitation).9") == nil)
        try tokens.remove(invitation)
        #expect(tokens.name(of: otherToken) == "\(invitation).9")
    }

    @Test func `a guest does not get the name of a token that exists already`() throws {
        var tokens = try TokenFile(nil)
        let (invitation, _) = try tokens.invite(storedInvitation())
        let otherToken = try tokens.add("\(invitation).1")
        let (guest, guestToken) = try tokens.admit(to: invitation, at: 0)
        #expect(guest == "\(invitation).2")
        #expect(tokens.name(of: guestToken) == guest)
        #expect(tokens.name(of: otherToken) == "\(invitation).1")
        #expect(tokens.invitation(ofGuest: "\(invitation).1") == nil)
    }

    @Test func `an invitation that has ended is removed, with its guests`() throws {
        var tokens = try TokenFile(path)
        let (firstName, _) = try tokens.invite(storedInvitation(until: 100))
        _ = try tokens.admit(to: firstName, at: 0)
        let (secondName, _) = try tokens.invite(storedInvitation(until: 200))
        #expect(tokens.nextEnd == 100)
        try tokens.removeEndedInvitations(at: 99)
        #expect(tokens.names.count == 3)
        try tokens.removeEndedInvitations(at: 100)
        #expect(try TokenFile(path).names == [secondName])
        #expect(tokens.nextEnd == 200)
    }

    @Test func `guests count toward the limit of tokens`() throws {
        let hash = String(repeating: "0", count: 64)
        folder.write("tokens", (1..<900).map { "t\($0) \(hash)\n" }.joined())
        var tokens = try TokenFile(path)
        let (invitation, _) = try tokens.invite(storedInvitation())
        #expect(throws: TokenFile.TokenError.limit(900)) { try tokens.admit(to: invitation, at: 0) }
        #expect(tokens.invitation(named: invitation)?.guestCount == 0)
        // Operators have the remaining places.
        for number in 1...50 {
            _ = try tokens.invite(storedInvitation())
            _ = try tokens.add("desk-\(number)")
        }
        #expect(throws: TokenFile.TokenError.limit(1000)) { try tokens.add("desk") }
    }

    @Test func `an invitation admits a hundred guests, and another one when a guest is removed`()
        throws
    {
        var tokens = try TokenFile(nil)
        let (invitation, _) = try tokens.invite(storedInvitation())
        let (other, _) = try tokens.invite(storedInvitation())
        for _ in 1...100 { _ = try tokens.admit(to: invitation, at: 0) }
        #expect(throws: TokenFile.TokenError.guests(100)) {
            try tokens.admit(to: invitation, at: 0)
        }
        _ = try tokens.admit(to: other, at: 0)
        try tokens.remove("\(invitation).7")
        #expect(try tokens.admit(to: invitation, at: 0).name == "\(invitation).101")
        #expect(throws: TokenFile.TokenError.guests(100)) {
            try tokens.admit(to: invitation, at: 0)
        }
    }

    @Test(arguments: [
        "invitation", "invitation {}", "invitation {\"session\":\"a b\"}", "invitation 1", "guests",
        "url x",
        "invitation {\"session\":\"q\",\"role\":\"boss\",\"event\":\"*\",\"args\":{},\"once\":false,\"until\":1,\"guests\":0}",
        "invitation {\"session\":\"q\",\"role\":\"play\",\"event\":\"*\",\"args\":{},\"once\":false,\"until\":1e99,\"guests\":0}",
    ])
    func `an invalid invitation line is an error with its position`(_ text: String) {
        let hash = String(repeating: "0", count: 64)
        folder.write("tokens", "a \(hash)\nb \(hash) \(text)\n")
        do {
            _ = try TokenFile(path)
            Issue.record("no error for \(text)")
        } catch { #expect("\(error)".contains("tokens:2:1: ")) }
    }

    @Test func `a guest has the rights of the invitation until the invitation ends`() throws {
        var now = 10
        var tokens = try TokenFile(nil)
        let (invitation, _) = try tokens.invite(storedInvitation("Ann", until: 100))
        let (guest, token) = try tokens.admit(to: invitation, at: 0)
        let authorizer = Authorizer(Rules(ownUID: 990), tokens) { now }
        var identity = Identity(.web, address: "192.0.2.1:5")
        #expect(authorizer.name(of: token) == guest)
        identity.addToken(named: guest)
        let rights = authorizer.rights(of: identity)
        #expect(rights.has(.play, in: quiz))
        #expect(!rights.has(.observe, in: SessionName("other")!))
        #expect(rights.maySend("buzz", to: quiz))
        #expect(!rights.maySend("judge", to: quiz))
        #expect(rights.arguments([], of: "buzz", to: quiz) == [Member("player", "Ann")])
        #expect(rights.arguments([Member("player", "Bob")], of: "buzz", to: quiz) == nil)
        now = 100
        #expect(authorizer.name(of: token) == nil)
        #expect(authorizer.rights(of: identity).highestRole == nil)
        // `endInvitations` removes the ended invitation. It returns nil because no other invitation remains that will end.
        #expect(authorizer.endInvitations() == nil)
        #expect(authorizer.tokenNames == [])
    }

    @Test func `an invitation whose link is too long for a QR code is removed again`() throws {
        let authorizer = Authorizer(Rules(ownUID: 990), try TokenFile(nil))
        var web = WebOptions()
        web.publicAddress = HTTPOrigin.split("http://hall")?.origin
        web.publicPath = "/\(String(repeating: "a", count: 10_000))"
        let invitations = Invitations(
            authorizer, to: PageAddress(web), on: try LibeventLoop())
        var results: [Result<IssuedInvitation, CallError>] = []
        invitations.issue(storedInvitation().invitation, for: .seconds(60), to: .players) {
            results.append($0)
        }
        #expect(results.count == 1)
        #expect(throws: CallError.refused(.storage(why: "no code could be made", outcome: .undone)))
        {
            try results.first?.get()
        }
        #expect(authorizer.tokenNames == [])
    }
}
