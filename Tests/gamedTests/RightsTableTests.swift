import Access
import BluetoothPart
import Connections
import EventLoop
import GameFlow
import Glibc
import Net
import Parts
import RPC
import Sessions
import Shards
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import GamedServer

/// Requests for each method. Each kind of caller makes them, with a rule for each kind of principal and each role.
@Suite struct RightsTableTests {
    private let sessions: Sessions
    private let protocolHandler: ProtocolHandler
    private let loop: LibeventLoop

    init() throws {
        sessions = Sessions(AnyFlow.shipped(), on: VirtualClock())
        for name in ["main", "red-1", "blue-1"] {
            _ = try sessions.open(
                SessionName(name)!, sessions.flow("game"), RequestContext(from: .ownProcess))
        }
        let identity = Dispatcher.ServerIdentity(version: "0", instance: "0", limits: [])
        loop = try LibeventLoop()
        let tokens = Authorizer(Rules(ownUID: 990), try TokenFile(nil))
        let dispatcher = Dispatcher(sessions, identity)
        let invitations = Invitations(tokens, to: PageAddress(WebOptions()), on: loop)
        let alone = NoOtherNodes()
        let methods: [any PartMethod] = [
            BluetoothMethod(NoBluetooth()), ScreensMethod(Screens(tokens, alone, on: loop), alone),
            InviteMethod(invitations), TokenMethod(tokens, invitations),
            AlertsMethod(AlertBoard { .zero }, alone), ClientsMethod(on: loop) { [] },
        ]
        for method in methods { dispatcher.add(method) }
        protocolHandler = ProtocolHandler(dispatcher)
    }

    /// A caller with the rights that the rules give to its identity.
    private func caller(_ identity: Identity, _ rules: [Rule]) -> TestCaller {
        TestCaller(
            identity,
            Rules(rules, ownUID: 990).rights(of: identity.principals, over: identity.kind))
    }

    /// Sends a line as a caller, and returns the replies.
    private func ask(_ line: String, _ caller: TestCaller) -> String {
        caller.ask(line, protocolHandler)
    }

    /// At least one request for each method, and the role that the request needs. The role is nil if the request fails for
    /// every role.
    private static let requests: [(line: String, role: Role?)] = [
        ("hello", .observe), ("ping", .observe), ("status", .observe), ("list", .observe),
        ("watch", .observe), ("unwatch", .observe), ("describe", .observe), ("graph", .observe),
        ("history", .observe), ("presses event=displayHelp", .observe), ("send displayHelp", .play),
        ("send nosuch", nil as Role?),
        ("open @new", .operate), ("timer helpTimedOut pause", .operate), ("goto help", .operate),
        ("advance 1s", .operate), ("backup /tmp/x", .operate), ("prune", .operate),
        ("token list", .operate),
        ("bluetooth", .observe), ("bluetooth press Red", .operate),
        ("label team=Owls", .operate), ("say Hello", .operate), ("move", .operate),
        ("flows", .operate), ("undo", .operate), ("sources", .operate), ("outputs", .operate),
        ("nodes", .operate), ("invite main", .operate), ("screens", .operate),
        ("stats", .operate), ("leaderboard game", .observe), ("alerts", .operate),
        ("reload", .operate), ("clients", .operate), ("config", .operate),
        ("close @blue-1", .operate),
    ]

    private static let unix = Identity(.unix, nil)
    private static func web(token: String? = nil, certificate: String? = nil) -> Identity {
        var identity = Identity(.web, address: "127.0.0.1:9", certificate: certificate)
        if let token { identity.addToken(named: token) }
        return identity
    }

    /// The identity of this process as a client of a UNIX socket for HTTP.
    private static let thisProcess: Identity = {
        var descriptors: [Int32] = [0, 0]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &descriptors)
        defer { for descriptor in descriptors { Glibc.close(descriptor) } }
        return Identity(.web, Credentials(of: descriptors[0]))
    }()

    /// Callers, each with one of the principals by which a rule can name it.
    private static let peers: [(Identity, Principal)] = [
        (thisProcess, .uid(getuid())), (thisProcess, .group(getgid())),
        (web(), .source(.web)), (web(token: "desk"), .token("desk")),
        (web(certificate: "desk"), .cert("desk")),
        (Identity(.tcp, address: "127.0.0.1:9"), .source(.tcp)),
    ]

    @Test func `each method is in the table of requests with its role`() {
        for method in Method.allCases where method.role != nil {
            let lines = Self.requests.filter { $0.line.prefix { $0 != " " } == method.name }
            #expect(lines.contains { $0.role == method.role }, "\(method.name)")
        }
    }

    @Test
    func `each method is allowed for its role and the roles above, for every kind of principal`() {
        for (identity, principal) in Self.peers {
            for grantedRole in [nil] + Role.allCases.map(Optional.some) {
                for (line, neededRole) in Self.requests {
                    let rules = grantedRole.map { [Rule(principal, Grant($0))] } ?? []
                    let answer = ask(line, caller(identity, rules))
                    let isAllowed = neededRole.map { neededRole in
                        grantedRole.map { $0 >= neededRole } ?? false
                    }
                    let comment =
                        "\(principal.text) \(String(describing: grantedRole)) \(line): \(answer)"
                    if let isAllowed {
                        #expect(answer.hasPrefix("ERR forbidden ") == !isAllowed, "\(comment)")
                    }
                    if isAllowed == false {
                        #expect(answer.contains(#""needs":"\#(neededRole!.name)""#), "\(comment)")
                        #expect(
                            answer.contains(#""source":"\#(identity.kind.name)""#), "\(comment)")
                    }
                    if neededRole == nil {
                        let error = grantedRole == nil ? "forbidden" : "unknownEvent"
                        #expect(answer.hasPrefix("ERR \(error)"), "\(comment)")
                    }
                    // An accepted request must not affect the next request, so its effects are undone here.
                    _ = try? sessions.open(
                        SessionName("blue-1")!, sessions.flow("game"),
                        RequestContext(from: .ownProcess))
                    if let new = try? sessions.session(SessionName("new")!) {
                        _ = try? sessions.close(new, RequestContext(from: .ownProcess))
                    }
                    if let main = try? sessions.session(.main), main.machine.place.state == "help" {
                        _ = try? sessions.goto(
                            "introduction", [], main, RequestContext(from: .ownProcess))
                    }
                }
            }
        }
    }

    @Test(arguments: [
        ("send @red-1 startPlaying", true), ("send @red-1 displayHelp", false),
        ("send @blue-1 startPlaying", false), ("status @red-1", true), ("status @blue-1", false),
        ("watch @red-1", true), ("watch @blue-1", false), ("watch @*", true),
        ("history @red-1", true), ("history @blue-1", false), ("goto @red-1 help", false),
        ("list", true), ("describe", true), ("advance 1s", false), ("open @red-2", false),
    ])
    func `a rule for some sessions and events allows only these sessions and events`(
        _ line: String, _ isAllowed: Bool
    ) {
        let rule = Rule(
            .token("red"), Grant(.play, session: Glob("red-*"), event: Glob("start*")))
        let peer = caller(Self.web(token: "red"), [rule])
        let answer = ask(line, peer)
        #expect(answer.hasPrefix("ERR forbidden") == !isAllowed, "\(answer)")
        #expect(answer.hasPrefix("OK") == isAllowed, "\(answer)")
    }

    @Test
    func
        `a peer that operates some sessions can open only these sessions and cannot advance the clock`()
    {
        let peer = caller(
            Self.web(token: "red"), [Rule(.token("red"), Grant(.operate, session: Glob("red-*")))])
        #expect(ask("advance 1s", peer).hasPrefix("ERR forbidden"))
        #expect(ask("backup /tmp/x", peer).hasPrefix("ERR forbidden"))
        #expect(ask("token add x", peer).hasPrefix("ERR forbidden"))
        #expect(ask("open @green", peer).hasPrefix("ERR forbidden"))
        #expect(ask("open @red-2", peer).hasPrefix("OK"))
        #expect(ask("close @red-2", peer).hasPrefix("OK"))
    }

    @Test func `a peer that observes some sessions is notified of these sessions only`() throws {
        let peer = caller(
            Self.web(token: "red"), [Rule(.token("red"), Grant(.observe, session: Glob("red-*")))])
        #expect(ask("list", peer).contains("red-1"))
        #expect(!ask("list", peer).contains("blue-1"))
        let answer = ask("watch @* topics=changes,refusals", peer)
        #expect(answer.contains("red-1") && !answer.contains("blue-1"))
        let posBefore = sessions.pos
        for name in ["blue-1", "red-1", "main"] {
            let session = try sessions.session(SessionName(name)!)
            _ = try sessions.send(
                "displayHelp", to: session, RequestContext(from: .ownProcess))
            _ = try? sessions.send("pause", to: session, RequestContext(from: .ownProcess))
        }
        try sessions.unwatch(.all, by: peer)
        #expect(peer.notifications.count == 2)
        #expect(peer.notifications.allSatisfy { $0.contains(#""session":"red-1""#) })
        let missed = try sessions.watch(.all, since: posBefore, by: peer).missed
        guard case .changes(var missedChanges) = missed else {
            Issue.record("there are no missed changes")
            return
        }
        var missedSessions: [String] = []
        while case .change(let change)? = sessions.nextPart(of: &missedChanges) {
            missedSessions.append(change.session.text)
        }
        #expect(missedSessions == ["red-1"])
        try sessions.unwatch(.all, by: peer)
        #expect(ask("status @red-2", peer).contains(#""didYouMean":["red-1"]"#))
        #expect(
            ask("status @blue-2", peer)
                == #"ERR forbidden {"method":"status","source":"web","needs":"observe in blue-2"}"#
                + "\n")
    }

    @Test
    func `a forbidden request is in the session's history with its source and the needed role`() {
        let anna = caller(Self.web(certificate: "anna"), [])
        for line in ["send displayHelp", "goto help", "timer idle pause", "close"] {
            #expect(ask(line, anna).hasPrefix("ERR forbidden"))
        }
        let operatorCaller = TestCaller(Self.unix, .everything)
        let history = ask("history limit=4", operatorCaller)
        for name in ["displayHelp", "goto", "timer", "close"] {
            #expect(history.contains(#""event":{"name":"\#(name)","args":{}}"#), "\(history)")
        }
        #expect(
            history.contains(
                #""source":{"kind":"web","peer":{"address":"127.0.0.1:9"},"as":"cert:anna"}"#))
        #expect(history.contains(#""needs":"operate""#))
        #expect(ask("status", operatorCaller).contains(#""seq":1"#))
    }

    /// Errors are checked in the order that docs/protocol.md documents.
    @Test(arguments: [
        ("send @nosuch displayHelp", "unknownSession"), ("send nosuch", "unknownEvent"),
        ("send displayHelp", "forbidden"), ("send tick", "forbidden"),
        ("send ageMs=99999 displayHelp", "forbidden"), ("send chooseLevel level=x", "forbidden"),
        ("send nosuch=1 displayHelp", "invalidParams"), ("goto @nosuch help", "unknownSession"),
    ])
    func `rights are checked after the existence of the names in a request`(
        _ line: String, _ error: String
    ) {
        let observer = caller(Self.web(), [Rule(.source(.web), Grant(.observe))])
        let answer = ask(line, observer)
        #expect(answer.hasPrefix("ERR \(error) "), "\(answer)")
    }

    @Test(arguments: [
        "send @nosuch displayHelp", "send nosuch", "status @nosuch", "watch @nosuch",
        "goto @nosuch help",
        "close @nosuch", "history @nosuch", "open @main", "describe nosuch",
        "send id=k1 displayHelp",
    ])
    func `a peer without rights learns nothing, not even which sessions exist`(_ line: String) {
        _ = ask("send id=k1 displayHelp", TestCaller(Self.unix, .everything))
        let answer = ask(line, caller(Self.web(), []))
        #expect(answer.hasPrefix("ERR forbidden "), "\(answer)")
    }

    @Test func `a remembered reply is given only to callers who may observe the session`() {
        let reply = ask("send @red-1 id=k1 displayHelp", TestCaller(Self.unix, .everything))
        let rule = Rule(.token("blue"), Grant(.play, session: Glob("blue-*")))
        let blue = caller(Self.web(token: "blue"), [rule])
        #expect(ask("send @red-1 id=k1 displayHelp", blue).hasPrefix(#"ERR forbidden {"event":"#))
        let observer = caller(Self.web(), [Rule(.source(.web), Grant(.observe))])
        #expect(ask("send @red-1 id=k1 displayHelp", observer) == reply)
    }
}
