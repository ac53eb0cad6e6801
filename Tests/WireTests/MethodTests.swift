import GameFlow
import JSON
import Sessions
import Testing
import Timers
import Wire

@Suite struct MethodTests {
    let line: Line

    init() throws { line = try Line() }

    @Test func `hello says who answers, what it speaks and what it limits`() {
        let hello = line.json("hello")
        #expect(hello["name"] == .string("gamed"))
        #expect(hello["version"] == .string("1.2.3"))
        #expect(hello["protocol"] == .int(1))
        #expect(hello["instance"] == .string("0123456789abcdef"))
        #expect(hello["clock"] == .string("virtual"))
        #expect(hello["flows"] == .array(AnyFlow.shipped().map { .string($0.name) }))
        #expect(hello["methods"] == .array(Method.allCases.map { .string($0.rawValue) }))
        #expect(hello["limits.clients"] == .int(7))
        #expect(hello["limits.lineBytes"] == .int(65_536))
    }

    @Test func `describe shows the flow as its selector has it`() {
        let flow = line.json("describe")
        #expect(flow["flow"] == .string("game"))
        #expect(flow["states.4.name"] == .string("playingLevel"))
        #expect(
            flow["states.4.data.1"]
                == .object([Member("name", .string("level")), Member("type", .string("integer"))]))
        #expect(flow["states.4.final"] == .bool(false))
        #expect(
            flow["states.4.timers.0"]
                == .object([
                    Member("fires", .string("timeUp")), Member("kind", .string("countdown")),
                    Member("totalMs", .int(90_000)),
                ]))
        #expect(
            flow["events.3"]
                == .object([
                    Member("name", .string("chooseEpisode")),
                    Member(
                        "args",
                        .array([
                            .object([
                                Member("name", .string("episode")),
                                Member("type", .string("integer")),
                            ])
                        ])),
                ]))
        #expect(
            flow["signals"]
                == .array(
                    ["helpTimedOut", "idle", "timeUp", "tick", "abandoned"].map { .string($0) }))
        #expect(
            flow["transitions.0"]
                == .object([
                    Member("from", .string("introduction")), Member("on", .string("displayHelp")),
                    Member("to", .string("help")),
                    Member("effects", .array([.string("presentHelp")])),
                ]))
    }

    @Test func `list goes page by page and by flow`() {
        for name in ["c", "a", "b"] { _ = line.say("open @\(name)") }
        let first = line.json("list limit=2")
        #expect(
            first["sessions.0"]
                == .object([
                    Member("session", .string("a")), Member("flow", .string("game")),
                    Member("state", .string("introduction")), Member("seq", .int(1)),
                ]))
        #expect(first["more"] == .bool(true))
        let rest = line.json("list after=b flow=game")
        #expect(rest["sessions.0.session"] == .string("c"))
        #expect(rest["sessions.1.session"] == .string("main"))
        #expect(rest["more"] == .bool(false))
    }

    @Test func `open and close show the session, and leave no timer`() {
        #expect(line.json("open @x help")["timers.0.fires"] == .string("helpTimedOut"))
        let closed = line.json("close @x")
        #expect(closed["seq"] == .int(1))
        #expect(closed["state"] == .string("help"))
        #expect(line.time.pending.isEmpty)
        #expect(line.say("status @x").hasPrefix("ERR unknownSession"))
    }

    @Test func `a watch by name answers with the session, what was missed, and then what happens`()
    {
        _ = line.say("send displayHelp")
        _ = line.say("send dismissHelp")
        let answer = line.json("watch since=1")
        #expect(answer["sessions.0.seq"] == .int(3))
        #expect(answer["more"] == .bool(false))
        #expect(line.missed == [2, 3])
        #expect(line.followed == [.session(.main)])
        _ = line.say("send displayHelp")
        #expect(line.told.count == 1)
        #expect(
            line.told[0].hasPrefix(
                #"{"jsonrpc":"2.0","method":"change","params":{"session":"main","seq":4,"#))
        _ = line.say("unwatch")
        _ = line.say("send dismissHelp")
        #expect(line.told.count == 1)
        #expect(line.followed.isEmpty)
    }

    @Test func `a change in the answer is the change that is told`() {
        _ = line.say("watch")
        let answer = line.say("send displayHelp").dropFirst(3)
        #expect(
            line.told == [
                #"{"jsonrpc":"2.0","method":"change","params":"# + answer.dropLast() + "}\n"
            ])
    }

    @Test func `advance tells the firings and the time`() {
        _ = line.say("goto help")
        let answer = line.json("advance 31s")
        #expect(
            answer["fired"]
                == .array([
                    .object([
                        Member("session", .string("main")),
                        Member("fires", .string("helpTimedOut")), Member("atMs", .int(30_000)),
                    ])
                ]))
        #expect(answer["nowMs"] == .int(31_000))
        #expect(answer["more"] == .bool(false))
        #expect(line.json("status")["state"] == .string("introduction"))
    }

    @Test func `an answer by id is the same, byte for byte`() {
        let first = line.say("send id=k displayHelp")
        _ = line.say("advance 5s")
        #expect(line.say("send id=k displayHelp") == first)
        #expect(line.say("send id=k nonsense x=1") == first)
    }

    @Test func `the errors are checked in their order`() {
        func name(_ text: String) -> String { String(line.say(text).split(separator: " ")[1]) }
        #expect(name("send @nobody nonsense ageMs=x") == "unknownSession")
        #expect(name("send ageMs=-1 @nobody nonsense") == "invalidParams")
        #expect(name("send nonsense x=1.5") == "unknownEvent")
        #expect(name("send tick x=1") == "forbidden")
        #expect(name("send chooseLevel") == "invalid")
        #expect(name("send chooseLevel level=99") == "noTransition")
        _ = line.say("goto choosingLevel episode=1")
        #expect(name("send chooseLevel level=99") == "invalid")
    }

    @Test func `describe has all that a form needs`() {
        let permissions = line.json("describe permissions")
        #expect(permissions["initial"] == .string("initial"))
        #expect(
            permissions["events.0.args.0"]
                == .object([
                    Member("name", .string("to")), Member("type", .string("string")),
                    Member(
                        "values",
                        .array(
                            [
                                "initial", "pushNotificationsAsk", "pushNotificationsDisplay",
                                "locationAsk", "locationDisplay", "onboarded",
                            ].map { .string($0) })),
                ]))
        let quiz = line.json("describe quiz")
        #expect(quiz["states.1.data.2.type"] == .string("object"))
        #expect(quiz["states.1.data.3.type"] == .string("array"))
        #expect(quiz["events.2.args.0.type"] == .string("boolean"))
        #expect(quiz["states.3.data.3.name"] == .string("player"))
        #expect(quiz["states.3.data.3.optional"] == .bool(true))
        let registration = line.json("describe registration")
        #expect(
            registration["states.3.data.0.values"]
                == .array([.string("createProfile"), .string("facebookProfile")]))
    }

    /// Each event of each flow, its arguments made from what `describe` says and nothing else: none is
    /// refused for its form.
    @Test func `a form made from describe is understood`() throws {
        for flow in AnyFlow.shipped() {
            guard case .array(let events) = line.json("describe \(flow.name)")["events"] else {
                Issue.record("\(flow.name) has no events")
                continue
            }
            _ = line.say("open @form flow=\(flow.name)")
            for event in events {
                guard case .string(let name) = event["name"], case .array(let args) = event["args"]
                else { continue }
                let words = args.map { "\(text($0["name"]))=\(value(of: $0))" }
                let answer = line.say("send @form \(name) " + words.joined(separator: " "))
                #expect(!answer.contains("expected"), "\(name): \(answer)")
                #expect(!answer.contains("missing"), "\(name): \(answer)")
                #expect(!answer.contains("unknown\""), "\(name): \(answer)")
            }
            _ = line.say("close @form")
        }
    }

    private func text(_ value: Value?) -> String {
        if case .string(let text) = value { text } else { "?" }
    }

    private func value(of field: Value) -> String {
        if case .array(let values) = field["values"] { return text(values.first) }
        return ["integer": "1", "boolean": "true"][text(field["type"])] ?? "x"
    }

    @Test func `graph draws a flow in three languages`() {
        #expect(line.say("graph").hasPrefix("OK \"stateDiagram-v2\\n    [*] --> introduction"))
        #expect(line.say("graph quiz format=dot").hasPrefix("OK \"digraph \\\"quiz\\\" {\\n"))
        let scxml = line.json(
            #"{"jsonrpc":"2.0","id":1,"method":"graph","params":{"flow":"startup","format":"scxml"}}"#
        )
        #expect(text(scxml["result"]).hasPrefix("<?xml version=\"1.0\""))
        #expect(line.say("graph nosuch").hasPrefix("ERR unknownFlow "))
        #expect(
            line.json("graph format=svg")["why"] == .string("format: expected mermaid, dot, scxml"))
    }

    @Test func `history says who sent what, newest first, in pages`() {
        _ = line.say("send startPlaying")
        _ = line.say("send pause")
        let history = line.json("history limit=2")
        #expect(history["records.0.kind"] == .string("refused"))
        #expect(history["records.0.seq"] == .int(2))
        #expect(history["records.0.error.message"] == .string("noTransition"))
        #expect(history["records.0.source.peer.pid"] == .int(1))
        #expect(history["records.1.kind"] == .string("enter"))
        #expect(history["records.2"] == nil)
        #expect(history["more"] == .bool(true))
        let older = line.json("history before=2")
        #expect(older["records.0.kind"] == .string("open"))
        #expect(older["more"] == .bool(false))
        #expect(line.json("history limit=0")["why"] == .string("limit: 1 to 1000"))
        #expect(line.json("history limit=1001")["why"] == .string("limit: 1 to 1000"))
        #expect(line.json("history before=-1")["why"] == .string("before: negative"))
        #expect(line.say("history @nobody").hasPrefix("ERR unknownSession "))
    }
}
