import GameFlow
import RPC
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

/// The methods `describe`, `graph` and `history`.
@Suite struct FlowMethodTests {
    let connection: TestConnection

    init() throws { connection = try TestConnection() }

    @Test func `describe contains everything that a form needs`() {
        let permissions = connection.json("describe permissions")
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
        // State 1 of the quiz is `question` with the data `scores` and `out`, state 3 is `reveal`, and event 2 is `judge`.
        let quiz = connection.json("describe quiz")
        #expect(quiz["states.1.data.2.type"] == .string("object"))
        #expect(quiz["states.1.data.3.type"] == .string("array"))
        #expect(quiz["events.2.args.0.type"] == .string("boolean"))
        #expect(quiz["states.3.data.3.name"] == .string("player"))
        #expect(quiz["states.3.data.3.optional"] == .bool(true))
        // State 3 of the registration is `selectAvatar`.
        let registration = connection.json("describe registration")
        #expect(
            registration["states.3.data.0.values"]
                == .array([.string("createProfile"), .string("facebookProfile")]))
    }

    /// Sends each event of each flow with arguments that are built only from the result of `describe`. The reply may be
    /// a refusal, but not one that rejects the names or types of the arguments.
    @Test func `a request built from the result of describe has valid arguments`() throws {
        for flow in AnyFlow.shipped() {
            guard case .array(let events) = connection.json("describe \(flow.name)")["events"]
            else {
                Issue.record("\(flow.name) has no events")
                continue
            }
            _ = connection.reply(to: "open @form flow=\(flow.name)")
            for event in events {
                guard case .string(let name) = event["name"], case .array(let args) = event["args"]
                else { continue }
                let words = args.map { "\(text($0["name"]))=\(value(of: $0))" }
                let answer = connection.reply(
                    to: "send @form \(name) " + words.joined(separator: " "))
                #expect(!answer.contains("expected"), "\(name): \(answer)")
                #expect(!answer.contains("missing"), "\(name): \(answer)")
                #expect(!answer.contains("unknown\""), "\(name): \(answer)")
            }
            _ = connection.reply(to: "close @form")
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
        #expect(
            connection.reply(to: "graph").hasPrefix(
                "OK \"stateDiagram-v2\\n    [*] --> introduction"))
        #expect(
            connection.reply(to: "graph quiz format=dot").hasPrefix(
                "OK \"digraph \\\"quiz\\\" {\\n"))
        let scxml = connection.json(
            #"{"jsonrpc":"2.0","id":1,"method":"graph","params":{"flow":"startup","format":"scxml"}}"#
        )
        #expect(text(scxml["result"]).hasPrefix("<?xml version=\"1.0\""))
        #expect(
            connection.reply(to: "graph nosuch")
                == "ERR unknownFlow {\"flow\":\"nosuch\",\"didYouMean\":[]}\n")
        #expect(
            connection.json("graph format=png")["why"]
                == .string("format: expected mermaid, dot, scxml, svg"))
    }

    @Test func `history returns pages of records with their sources, newest first`() {
        _ = connection.reply(to: "send startPlaying")
        // The event `pause` is refused. A refusal has the seq of the session's newest change.
        _ = connection.reply(to: "send pause")
        let history = connection.json("history limit=2")
        #expect(history["records.0.kind"] == .string("refused"))
        #expect(history["records.0.seq"] == .int(2))
        #expect(history["records.0.error.message"] == .string("noTransition"))
        #expect(history["records.0.source.peer.pid"] == .int(1))
        #expect(history["records.1.kind"] == .string("enter"))
        #expect(history["records.2"] == nil)
        #expect(history["more"] == .bool(true))
        let older = connection.json("history before=2")
        #expect(older["records.0.kind"] == .string("open"))
        #expect(older["more"] == .bool(false))
        #expect(connection.json("history limit=0")["why"] == .string("limit: 1 to 1000"))
        #expect(connection.json("history limit=1001")["why"] == .string("limit: 1 to 1000"))
        #expect(connection.json("history before=-1")["why"] == .string("before: negative"))
        #expect(
            connection.reply(to: "history @nobody")
                == "ERR unknownSession {\"session\":\"nobody\",\"didYouMean\":[]}\n")
    }
}
