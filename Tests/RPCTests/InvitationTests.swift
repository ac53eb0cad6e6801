import GameFlow
import RPC
import Sessions
import Testing
import Timers

/// The method `invite`: its result, and which roles may call it.
@Suite struct InvitationTests {
    /// A store that records the most recent invitation.
    private final class RecordingStore: InvitationStore {
        /// The most recent invitation, and the time for which it is valid.
        private(set) var issued: (invitation: Invitation, length: Duration)?
        let pageAddress: String? = "http://hall"

        func issue(
            _ invitation: Invitation, for length: Duration,
            _ done: @escaping (Result<IssuedInvitation, CallError>) -> Void
        ) {
            issued = (invitation, length)
            done(
                .success(
                    IssuedInvitation(
                        name: "invite-1", code: "ABC123", codeUntil: .seconds(900),
                        until: .seconds(3600), link: "http://hall/join#K", qr: "<svg/>")))
        }
    }

    private let store = RecordingStore()
    private let connection: TestConnection

    init() throws {
        connection = try TestConnection(invitations: store)
        #expect(connection.reply(to: "open @quiz flow=quiz").hasPrefix("OK"))
    }

    @Test func `the reply contains the session, the role and the link of the invitation`() {
        let answer = connection.reply(to: "invite quiz")
        #expect(
            answer
                == #"OK {"session":"quiz","role":"play","once":false,"name":"invite-1","link":"http://hall/join#K","until":"1970-01-01T01:00:00.000Z","code":"ABC123","codeUntil":"1970-01-01T00:15:00.000Z","qr":"<svg/>"}"#
                + "\n")
        #expect(store.issued?.invitation == Invitation(SessionName("quiz")!, .play))
        #expect(store.issued?.length == .seconds(12 * 3600))
        connection.end()
    }

    @Test(arguments: ["Ann", "عبد الله", "王小明"])
    func `the name of a guest who may play is bound to the argument player, if an event has it`(
        _ name: String
    ) {
        #expect(connection.reply(to: "invite as=\"\(name)\" once=true for=1h quiz").hasPrefix("OK"))
        let issued = store.issued
        #expect(issued?.invitation.guestName == name)
        #expect(issued?.invitation.boundArguments == [Member("player", name)])
        #expect(issued?.invitation.isOnce == true)
        #expect(issued?.length == .seconds(3600))
        #expect(connection.reply(to: "invite as=\"\(name)\" main").hasPrefix("OK"))
        #expect(store.issued?.invitation.boundArguments == [])
        #expect(connection.reply(to: "invite role=observe as=\"\(name)\" quiz").hasPrefix("OK"))
        #expect(store.issued?.invitation.boundArguments == [])
        connection.end()
    }

    @Test func `bound arguments have the names and types that the event declares`() {
        #expect(connection.reply(to: "invite event=buzz quiz player=Ann").hasPrefix("OK"))
        #expect(store.issued?.invitation.boundArguments == [Member("player", "Ann")])
        #expect(connection.reply(to: "invite @quiz rounds=3").hasPrefix("OK"))
        #expect(store.issued?.invitation.boundArguments == [Member("rounds", 3)])
        connection.end()
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
        let answer = connection.reply(to: "invite \(words)")
        #expect(answer.hasPrefix("ERR invalid") && answer.contains(why), "\(answer)")
        #expect(store.issued == nil)
        connection.end()
    }

    @Test func `a name, arguments or an event pattern that is too long is an error`() {
        let name = String(repeating: "名", count: 64)
        #expect(connection.reply(to: "invite as=\(name) main").hasPrefix("OK"))
        // 64 characters are allowed, and this name has 65.
        #expect(connection.reply(to: "invite as=\(name)x main").hasPrefix("ERR invalidParams "))
        let long = String(repeating: "x", count: 1024)
        let stars = String(repeating: "*", count: 1024)
        for request in ["invite quiz player=\(long)", "invite event=\(stars) quiz"] {
            let answer = connection.reply(to: request)
            #expect(
                answer == "ERR limit {\"which\":\"invitationBytes\",\"limit\":1024}\n",
                "\(answer)")
        }
        connection.end()
    }

    @Test func `an invitation to an unknown session is an error`() {
        #expect(connection.reply(to: "invite qiz").hasPrefix("ERR unknownSession"))
        connection.end()
    }

    @Test
    func
        `inviting requires the role operate, and an invitation cannot grant more than its author has`()
    {
        let quiz = Glob("quiz")
        connection.rights = Rights([Grant(.play, session: quiz)])
        #expect(connection.reply(to: "invite quiz").contains(#""needs":"operate""#))
        connection.rights = Rights([Grant(.operate, session: quiz)])
        #expect(connection.reply(to: "invite main").hasPrefix("ERR forbidden"))
        #expect(connection.reply(to: "invite quiz").hasPrefix("OK"))
        connection.rights = Rights([Grant(.operate, session: quiz, event: Glob("buzz"))])
        #expect(connection.reply(to: "invite quiz").contains("play with * and any arguments"))
        #expect(connection.reply(to: "invite event=buzz quiz").hasPrefix("OK"))
        #expect(connection.reply(to: "invite role=observe quiz").hasPrefix("OK"))
        connection.rights = .everything
        connection.end()
    }

    @Test func `an argument bound for one event does not affect other events`() {
        // The event `start` has no argument `player`.
        connection.rights = Rights([
            Grant(.play, session: Glob("quiz"), boundArguments: [Member("player", "Ann")])
        ])
        #expect(connection.reply(to: "send @quiz start rounds=2").hasPrefix("OK"))
        #expect(connection.reply(to: "send @quiz buzz player=Bob").hasPrefix("ERR forbidden"))
        #expect(connection.reply(to: "send @quiz buzz").contains(#""args":{"player":"Ann"}"#))
        connection.rights = .everything
        connection.end()
    }

    @Test
    func `if two grants bind different values, the first supplies the value that a request omits`()
    {
        let grants = ["Ann", "Bob"].map { name in
            Grant(
                .play, session: Glob("quiz"), event: Glob("buzz"),
                boundArguments: [Member("player", .string(name))])
        }
        let quiz = SessionName("quiz")!
        for order in [grants, grants.reversed()] {
            let rights = Rights(order)
            #expect(rights.arguments([], of: "buzz", to: quiz) == order[0].boundArguments)
            for given in ["Ann", "Bob"].map({ [Member("player", .string($0))] }) {
                #expect(rights.arguments(given, of: "buzz", to: quiz) == given)
            }
            #expect(rights.arguments([Member("player", "Cid")], of: "buzz", to: quiz) == nil)
        }
    }
}
