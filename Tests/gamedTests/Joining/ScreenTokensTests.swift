import GameFlow
import RPC
import Sessions
import TestSupport
import Testing

@testable import Access

/// The invitations that the players' screens show, in the token file.
@Suite struct ScreenTokensTests {
    private let folder = Folder()
    private var path: String { "\(folder.path)/tokens" }
    private let quiz = SessionName("quiz")!

    @Test func `the screens show the same key and code after a restart and in a later visit`()
        throws
    {
        var tokens = try TokenFile(path)
        try tokens.openScreen(quiz, until: 100)
        let (name, invitation) = try #require(tokens.screenInvitation(to: quiz))
        let screen = try #require(invitation.screen)
        #expect(screen.key.count == 26 && screen.code.count == 6)
        #expect(tokens.invitation(withKey: screen.key) == name)
        #expect(tokens.invitation(withCode: screen.code, at: 99) == name)
        #expect(tokens.invitation(withCode: screen.code, at: 100) == nil)
        _ = try tokens.admit(to: name, at: 10)
        tokens.setScreen(of: quiz, isOpen: false)
        #expect(tokens.invitation(withCode: screen.code, at: 20) == nil)
        #expect(tokens.invitation(named: name)?.isValid(at: 20) == false)
        #expect(throws: TokenFile.TokenError.self) { try tokens.admit(to: name, at: 20) }
        var reread = try TokenFile(path)
        try reread.openScreen(quiz, until: 300)
        let later = try #require(reread.screenInvitation(to: quiz)?.invitation)
        #expect(later.screen?.key == screen.key && later.screen?.code == screen.code)
        #expect(later.until == 300 && later.isValid(at: 299))
    }

    @Test func `a guest of a screen keeps the token for twelve hours, whatever the screen shows`()
        throws
    {
        let hours = StoredInvitation.Screen.guestSeconds
        var tokens = try TokenFile(path)
        try tokens.openScreen(quiz, until: 1000)
        let name = try #require(tokens.screenInvitation(to: quiz)?.name)
        let (early, _) = try tokens.admit(to: name, at: 100)
        let (late, _) = try tokens.admit(to: name, at: 900)
        tokens.setScreen(of: quiz, isOpen: false)
        #expect(tokens.nextEnd == 100 + hours)
        #expect(tokens.invitation(ofGuest: early)?.end(ofGuest: early) == 100 + hours)
        #expect(tokens.invitation(ofGuest: late)?.end(ofGuest: late) == 900 + hours)
        try tokens.removeEndedInvitations(at: 100 + hours)
        #expect(try TokenFile(path).names == [name, late])
        try tokens.removeEndedInvitations(at: 900 + hours)
        #expect(try TokenFile(path).names == [])
        #expect(tokens.nextEnd == nil)
    }

    @Test func `a screen without guests leaves nothing behind when its time is over`() throws {
        var tokens = try TokenFile(path)
        try tokens.openScreen(quiz, until: 1000)
        tokens.setScreen(of: quiz, isOpen: false)
        #expect(tokens.nextEnd == 1000)
        try tokens.removeEndedInvitations(at: 1000)
        #expect(try TokenFile(path).names == [])
    }

    @Test func `screens leave the places for operators`() throws {
        var tokens = try TokenFile(nil)
        for number in 1...900 { try tokens.openScreen(SessionName("s\(number)")!, until: 1000) }
        #expect(throws: TokenFile.TokenError.limit(900)) {
            try tokens.openScreen(quiz, until: 1000)
        }
        _ = try tokens.add("desk")
    }

    /// Otherwise the line would grow with each evening.
    @Test func `the times of guests whose tokens have ended are forgotten`() throws {
        let hours = StoredInvitation.Screen.guestSeconds
        var tokens = try TokenFile(nil)
        try tokens.openScreen(quiz, until: .max)
        let name = try #require(tokens.screenInvitation(to: quiz)?.name)
        for night in 0..<5 {
            try tokens.removeEndedInvitations(at: night * hours)
            for _ in 0..<90 { _ = try tokens.admit(to: name, at: night * hours) }
        }
        let screen = try #require(tokens.invitation(named: name)?.screen)
        #expect(screen.joinTimes.count == 90 && tokens.names.count == 91)
    }

    @Test(arguments: [
        #"{"key":1}"#, "[]", #"{"key":"K","code":"C","open":true,"joined":{"x":1}}"#,
        #"{"key":"K","code":"C","open":true,"joined":{"1":"x"}}"#,
    ])
    func `a damaged line is an error with its place`(_ screen: String) {
        let hash = String(repeating: "0", count: 64)
        folder.write(
            "tokens",
            "invite-a \(hash) invitation {\"session\":\"quiz\",\"role\":\"play\",\"event\":\"*\",\"args\":{},\"once\":false,\"until\":1,\"guests\":0,\"screen\":\(screen)}\n"
        )
        #expect(throws: TokenFile.TokenError.self) { try TokenFile(path) }
    }
}
