import GameFlow
import RPC
import Sessions
import Testing

/// The rights that rules give to principals.
@Suite struct RulesTests {
    private let room = SessionName("red-1")!
    private let otherRoom = SessionName("blue-1")!

    private func principal(_ text: String) -> Principal {
        do { return try Principal(text) } catch { preconditionFailure(error.why) }
    }

    /// The rights that the rules give to a client with these principals, over this kind of transport. The daemon's user has
    /// the id 990.
    private func rights(
        _ rules: [(String, Grant)], _ principals: [String], by kind: Source.Kind = .tcp
    ) -> Rights {
        Rules(rules.map { Rule(principal($0.0), $0.1) }, ownUID: 990)
            .rights(of: Set(principals.map { principal($0) }), over: kind)
    }

    @Test(arguments: [
        ("uid:7", "uid:7", "uid:8"), ("group:7", "group:7", "uid:7"),
        ("token:desk", "token:desk", "token:desks"), ("cert:desk", "cert:desk", "token:desk"),
        ("source:web", "source:web", "source:tcp"), ("uid:root", "uid:0", "uid:1"),
        ("group:root", "group:0", "group:1"),
    ])
    func `a rule applies only to its principal`(
        _ ruleText: String, _ matching: String, _ notMatching: String
    ) {
        let rule = (ruleText, Grant(.play))
        #expect(rights([rule], [matching]).has(.play, in: room))
        #expect(rights([rule], [notMatching, "source:unix"]).highestRole == nil)
    }

    @Test func `without a rule everything is forbidden, except at the UNIX socket`() {
        for kind in Source.Kind.transports where kind != .unix {
            #expect(rights([], ["source:\(kind.name)", "uid:0"], by: kind).highestRole == nil)
        }
    }

    @Test(arguments: Role.allCases)
    func `a role includes itself and the lower roles`(_ role: Role) {
        let rights = rights([("token:a", Grant(role))], ["token:a"])
        for includedRole in Role.allCases {
            #expect(rights.has(includedRole, in: room) == (includedRole <= role))
        }
        #expect(rights.maySend("buzz", to: room) == (role >= .play))
        #expect(rights.highestRole == role)
        #expect(rights.allowsEverything == (role == .operate))
    }

    @Test func `the grants of several rules add up in any order`() {
        let rules = [
            ("token:a", Grant(.play, session: Glob("red-*"), event: Glob("buzz*"))),
            ("source:tcp", Grant(.observe)), ("cert:a", Grant(.operate, session: Glob("blue-1"))),
        ]
        for rules in [rules, rules.reversed()] {
            let rights = rights(rules, ["token:a", "source:tcp", "cert:a"])
            #expect(rights.maySend("buzzLeft", to: room))
            #expect(!rights.maySend("judge", to: room))
            #expect(rights.maySend("judge", to: otherRoom))
            #expect(rights.has(.observe, in: SessionName("green")!))
            #expect(!rights.has(.operate, in: room))
            #expect(rights.has(.operate, in: otherRoom))
            #expect(!rights.hasEverywhere(.operate))
        }
    }

    @Test func `a rule for some sessions grants nothing for other sessions`() {
        let rights = rights([("uid:7", Grant(.operate, session: Glob("red-?")))], ["uid:7"])
        #expect(rights.has(.operate, in: room))
        #expect(!rights.has(.observe, in: otherRoom))
        #expect(!rights.has(.observe, in: SessionName("red-10")!))
        #expect(!rights.allowsEverything)
    }

    /// Without rules, the mode of the socket file decides who can connect. Root has the id 0, and the daemon's user 990.
    @Test(arguments: [
        (0, false, Role.operate), (990, false, .operate), (7, false, .operate),
        (0, true, .operate), (990, true, .operate), (7, true, .play),
    ])
    func
        `at the UNIX socket all users may operate; if rules exist, only root and the daemon's user may, and others play`(
            _ uid: Int, _ hasRules: Bool, _ role: Role
        )
    {
        let rules = hasRules ? [("source:web", Grant(.observe))] : []
        #expect(rights(rules, ["uid:\(uid)", "source:unix"], by: .unix).highestRole == role)
    }

    @Test func `on the HTTP socket, root also needs a rule`() {
        #expect(
            rights([("uid:7", Grant(.play))], ["uid:0", "source:web"], by: .web).highestRole == nil)
        #expect(
            rights([("uid:7", Grant(.play))], ["uid:7", "source:web"], by: .web).highestRole
                == .play)
    }

    @Test(arguments: [
        ("desk", "desk: expected uid:, group:, token:, cert: or source:"),
        ("user:a", "user:a: expected uid:, group:, token:, cert: or source:"),
        ("uid:", "uid:: the name is empty"), ("uid:no such", "uid:no such: no such user"),
        ("group:nobodys", "group:nobodys: no such group"),
        ("uid:4294967296", "uid:4294967296: no such user"),
        ("token:de sk", "token:de sk: a token's name has 1 to 64 of A-Z a-z 0-9 . _ -"),
        ("token:*", "token:*: a token's name has 1 to 64 of A-Z a-z 0-9 . _ -"),
        (
            "source:timer",
            "source:timer: expected one of unix, tcp, web, terminal, bluetooth, evdev, mqtt"
        ),
        (
            "source:radio",
            "source:radio: expected one of unix, tcp, web, terminal, bluetooth, evdev, mqtt"
        ),
    ])
    func `an invalid principal is an error`(_ text: String, _ why: String) {
        do throws(PrincipalError) {
            _ = try Principal(text)
            Issue.record("\(text) was accepted as a principal")
        } catch { #expect(error.why == why) }
    }

    @Test(arguments: [
        ("*", "anything", true), ("red-*", "red-", true), ("red-*", "bred-1", false),
        ("[ab]?", "b7", true), ("[ab]?", "c7", false), ("a.b", "aXb", false), ("", "x", false),
    ])
    func `a pattern matches whole names`(_ pattern: String, _ name: String, _ matches: Bool) {
        #expect(Glob(pattern).matches(name) == matches)
    }

    /// `\u{212A}` is the sign for Kelvin, which is canonically equivalent to the letter K.
    @Test func `a bound argument is compared by its bytes`() {
        let grant = Grant(.play, boundArguments: [Member("player", "Zo\u{EB} \u{1EC7}")])
        let rights = rights([("source:tcp", grant)], ["source:tcp"])
        func arguments(_ player: String) -> [Member]? {
            rights.arguments([Member("player", .string(player))], of: "buzz", to: room)
        }
        #expect(arguments("Zo\u{EB} \u{1EC7}") == grant.boundArguments)
        for other in [
            "Zoe\u{308} \u{1EC7}", "Zo\u{EB} e\u{323}\u{302}", "Zo\u{EB} e\u{302}\u{323}",
        ] {
            #expect(other == "Zo\u{EB} \u{1EC7}" && arguments(other) == nil)
        }
        let kind = Grant(.play, boundArguments: [Member("Kind", "red")])
        let kindRights = self.rights([("source:tcp", kind)], ["source:tcp"])
        // The bound argument is filled in. The event then has an unknown argument besides, and is refused.
        let given = [Member("\u{212A}ind", "blue")]
        #expect(
            kindRights.arguments(given, of: "buzz", to: room) == given + kind.boundArguments)
    }

    @Test func `the names of certificates are compared by their bytes`() {
        let rule = [("cert:Zo\u{EB}", Grant(.play))]
        #expect(rights(rule, ["cert:Zo\u{EB}"]).has(.play))
        #expect(!rights(rule, ["cert:Zoe\u{308}"]).has(.play))
        #expect(Glob("Zo\u{EB}") != Glob("Zoe\u{308}"))
    }
}
