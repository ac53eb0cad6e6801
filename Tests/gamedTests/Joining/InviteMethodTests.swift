import Access
import Connections
import EventLoop
import GameFlow
import Parts
import RPC
import Room
import Sessions
import Shards
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import GamedServer

/// The method `invite`: its result, and which roles may call it.
@Suite struct InviteMethodTests {
    private let handler: ProtocolHandler
    private let authorizer: Authorizer
    private let loop: LibeventLoop

    init() throws {
        loop = try LibeventLoop()
        let sessions = Sessions(AnyFlow.shipped(), on: VirtualClock())
        for (name, flow) in [("main", "game"), ("quiz", "quiz")] {
            _ = try sessions.open(
                SessionName(name)!, sessions.flow(flow), RequestContext(from: .ownProcess))
        }
        authorizer = Authorizer(Rules(ownUID: 990), try TokenFile(nil))
        let dispatcher = Dispatcher(
            sessions, Dispatcher.ServerIdentity(version: "0", instance: "0", limits: []))
        var web = WebOptions()
        web.publicAddress = HTTPOrigin.split("http://hall")?.origin
        let hall = PageAddress(web)
        dispatcher.add(InviteMethod(Invitations(authorizer, to: hall, on: loop)))
        handler = ProtocolHandler(dispatcher)
    }

    private func ask(_ line: String, _ rights: Rights = .everything) -> String {
        TestCaller(Identity(.unix, nil), rights).ask(line, handler)
    }

    /// The invitation that an answer describes; nil if it describes none.
    private func issued(_ answer: String) -> StoredInvitation? {
        guard let start = answer.firstRange(of: #""name":""#)?.upperBound else { return nil }
        return authorizer.validInvitation(named: String(answer[start...].prefix { $0 != "\"" }))
    }

    /// Whether an invitation, made less than a minute ago, is valid for so many seconds.
    private func isValid(_ invitation: StoredInvitation?, for seconds: Int) -> Bool {
        invitation.map { seconds - 60...seconds ~= $0.until - WallClock.seconds } == true
    }

    @Test func `the reply contains the session, the role and the link of the invitation`() {
        let answer = ask("invite quiz")
        let begin = #"OK {"session":"quiz","role":"play","once":false,"name":"invite-"#
        #expect(answer.hasPrefix(begin), "\(answer)")
        #expect(answer.contains(#""link":"http://hall/join#"#), "\(answer)")
        for member in ["until", "code", "codeUntil", "qr"] {
            #expect(answer.contains("\"\(member)\":\""), "\(answer)")
        }
        let issued = issued(answer)
        #expect(issued?.invitation == Invitation(SessionName("quiz")!, .play))
        #expect(isValid(issued, for: 12 * 3600))
    }

    @Test(arguments: ["Ann", "عبد الله", "王小明"])
    func `the name of a guest who may play is bound to the argument player, if an event has it`(
        _ name: String
    ) {
        let issued = issued(ask("invite as=\"\(name)\" once=true for=1h quiz"))
        #expect(issued?.invitation.guestName == name)
        #expect(issued?.invitation.boundArguments == [Member("player", name)])
        #expect(issued?.invitation.isOnce == true)
        #expect(isValid(issued, for: 3600))
        for words in ["as=\"\(name)\" main", "role=observe as=\"\(name)\" quiz"] {
            #expect(self.issued(ask("invite \(words)"))?.invitation.boundArguments == [])
        }
    }

    @Test func `bound arguments have the names and types that the event declares`() {
        for (words, argument) in [
            ("event=buzz quiz player=Ann", Member("player", "Ann")),
            ("@quiz rounds=3", Member("rounds", 3)),
        ] {
            #expect(issued(ask("invite \(words)"))?.invitation.boundArguments == [argument])
        }
    }

    @Test(arguments: [
        "@quiz as=Ann once=true for=1h", "quiz as=Ann once=true for=1h",
        "as=Ann @quiz once=true for=1h", "session=quiz as=Ann once=true for=1h",
        "@quiz once=true as=Ann for=1h {\"rounds\":3}", "@quiz rounds=3 for=1h once=true as=Ann",
    ])
    func `the parameters of an invitation may follow the session`(_ words: String) {
        let answer = ask("invite \(words)")
        let invitation = issued(answer)
        #expect(invitation?.invitation.guestName == "Ann", "\(answer)")
        #expect(invitation?.invitation.isOnce == true && isValid(invitation, for: 3600))
        let rounds = words.contains("rounds") ? [Member("rounds", 3)] : []
        let bound = invitation?.invitation.boundArguments ?? []
        #expect(bound.filter { $0.name != "player" } == rounds, "\(bound)")
        #expect(ask("invite @quiz role=observe opens=wall").hasPrefix("OK"))
    }

    @Test(arguments: [
        ("quiz plyer=Ann", "did you mean player?"), ("quiz player=3", "expected string"),
        ("event=buz quiz", "no event of the flow quiz matches"),
        ("event=buzz quiz rounds=3", #""argument":"rounds","why":"no event has this argument"#),
        ("role=operate quiz", "role: expected observe or play"),
        ("role=boss quiz", "role: expected observe or play"),
        ("role=observe quiz player=Ann", "only with the role play"),
        ("as=\"\" quiz", "as: expected"), ("as=\" \" quiz", "that can be seen"),
        ("as=\"a\tb\" quiz", "as: expected"), ("for=0s quiz", "expected more than 0s"),
        ("for=soon quiz", "for: expected"), ("quiz {\"player\":null}", "expected string"),
    ])
    func `an invalid invitation is an error with a reason and creates nothing`(
        _ words: String, _ why: String
    ) {
        let answer = ask("invite \(words)")
        #expect(answer.hasPrefix("ERR invalid") && answer.contains(why), "\(answer)")
        #expect(authorizer.descriptions.isEmpty)
    }

    @Test func `a name, arguments or an event pattern that is too long is an error`() {
        let name = String(repeating: "名", count: 64)
        #expect(ask("invite as=\(name) main").hasPrefix("OK"))
        // 64 characters are allowed, and this name has 65.
        #expect(ask("invite as=\(name)x main").hasPrefix("ERR invalidParams "))
        let long = String(repeating: "x", count: 1024)
        let stars = String(repeating: "*", count: 1024)
        for request in ["invite quiz player=\(long)", "invite event=\(stars) quiz"] {
            let answer = ask(request)
            #expect(
                answer == "ERR limit {\"which\":\"invitationBytes\",\"limit\":1024}\n",
                "\(answer)")
        }
    }

    @Test func `an invitation to an unknown session is an error`() {
        #expect(ask("invite qiz").hasPrefix("ERR unknownSession"))
    }

    @Test
    func
        `inviting requires the role operate, and an invitation cannot grant more than its author has`()
    {
        let quiz = Glob("quiz")
        #expect(
            ask("invite quiz", Rights([Grant(.play, session: quiz)])).contains(
                #""needs":"operate""#))
        let operatesQuiz = Rights([Grant(.operate, session: quiz)])
        #expect(ask("invite main", operatesQuiz).hasPrefix("ERR forbidden"))
        #expect(ask("invite quiz", operatesQuiz).hasPrefix("OK"))
        let operatesBuzz = Rights([Grant(.operate, session: quiz, event: Glob("buzz"))])
        #expect(ask("invite quiz", operatesBuzz).contains("play with * and any arguments"))
        #expect(ask("invite event=buzz quiz", operatesBuzz).hasPrefix("OK"))
        #expect(ask("invite role=observe quiz", operatesBuzz).hasPrefix("OK"))
    }
}
