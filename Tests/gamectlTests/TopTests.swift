import GameFlow
import RPC
import Shell
import Testing

@testable import GamectlTool

/// The screen of `gamectl top`, and what its keys do, without a terminal and without a daemon.
@Suite struct TopTests {
    private static let quiz = #"""
        {"session":"quiz","flow":"show","state":"question","seq":7,"entry":40,"data":{"round":2},
         "labels":{"title":"Friday","team":"Owls"},"accepts":["hint","buzz","end"],
         "timers":[{"fires":"timeUp","kind":"countdown","remainingMs":72000,"totalMs":90000,"paused":false},
                   {"fires":"tick","kind":"pendulum","remainingMs":1000,"totalMs":1000,"paused":false}]}
        """#
    private static let vault = #"""
        {"session":"vault","flow":"vault","state":"lobby","seq":1,"entry":3,"data":{},"accepts":[],"timers":[],
         "stuck":{"sinceMs":5}}
        """#
    private static let events = #"""
        {"events":[{"name":"hint","title":"Give a hint","args":[{"name":"say","type":"string"}]},
                   {"name":"buzz","title":"Buzz","key":"b","args":[{"name":"player","type":"string"}]},
                   {"name":"end","title":"End the show","danger":true,"args":[]},
                   {"name":"later","args":[]}]}
        """#
    private static let alert = #"""
        {"alerts":[{"id":"connection:hall","kind":"connection","name":"hall","text":"mqtt hall: refused","sinceMs":1,"acked":false}]}
        """#

    private func value(_ json: String) throws -> Value { try SampleReplies.value(json) }

    private func answer(_ json: String) throws -> Result<Message.MethodResult, ErrorReply> {
        .success(Message.MethodResult(value: try value(json), raw: []))
    }

    /// Two sessions. `quiz` is selected, and its events and an alert have arrived.
    private func model() throws -> TopModel {
        var model = TopModel(isVirtual: false, Terminal(-1))
        let requests = try model.begin(with: [value(Self.quiz), value(Self.vault)], nowMs: 5000)
        #expect(
            requests.map(\.purpose) == [.description(of: "quiz"), .history(of: "quiz"), .alerts])
        _ = try model.receive(answer(Self.events), for: .description(of: "quiz"), nowMs: 5000)
        _ = try model.receive(answer(Self.alert), for: .alerts, nowMs: 5000)
        return model
    }

    private func screen(
        _ model: TopModel, rows: Int = 24, columns: Int = 80, atMs nowMs: Int = 5000
    )
        -> [String]
    {
        TopView(model: model, rows: rows, columns: columns, nowMs: nowMs, wallMs: 0).lines
            .map { $0.text.trimmed }
    }

    /// Types a text, and presses Enter.
    private func type(_ text: String, in model: inout TopModel) -> [TopRequest] {
        for character in text { _ = model.press(.character(character)) }
        return model.press(.enter)
    }

    @Test func `the screen has alerts, sessions, clocks, events with their keys, and the keys`()
        throws
    {
        let lines = screen(try model())
        #expect(lines.count == 24)
        #expect(lines[0].hasPrefix("gamed · 2 sessions · 1 alert"))
        #expect(lines[1] == "! mqtt hall: refused")
        #expect(
            lines[2]
                == "  quiz      question            timeUp 1:12 of 1:30  Friday · Owls")
        #expect(lines[3] == "! vault     lobby")
        #expect(lines[5] == "@quiz #7 · question")
        #expect(lines[6] == "round=2")
        #expect(lines[7] == "timeUp ▕██████████░░░▏ 1:12 of 1:30")
        #expect(lines[8] == "tick every 0:01")
        #expect(lines[9] == "[1] Give a hint  [b] Buzz  [2] End the show")
        #expect(lines[23].hasSuffix("q leave"))
    }

    @Test func `clocks run between two messages`() throws {
        #expect(screen(try model(), atMs: 65_000)[2].contains("timeUp 0:12 of 1:30"))
    }

    @Test(arguments: [(12, 40), (24, 80), (60, 200), (5, 10), (1, 1)])
    func `every line fits into the screen`(_ rows: Int, _ columns: Int) throws {
        var model = try model()
        for number in 0..<300 {
            let text = Self.quiz.replacing("quiz", with: "room-\(number)", maxReplacements: 1)
            _ = try model.receive(answer(text), for: .status("room-\(number)"), nowMs: 0)
        }
        for _ in 0..<250 { _ = model.press(.down) }
        let view = TopView(model: model, rows: rows, columns: columns, nowMs: 0, wallMs: 0)
        #expect(view.lines.count == rows)
        #expect(view.lines.allSatisfy { $0.text.count <= columns })
        if rows >= 12 { #expect(view.lines.contains { $0.style == .selected }) }
    }

    @Test func `a key of the flow sends its event with the typed arguments and the seen entry`()
        throws
    {
        var model = try model()
        #expect(model.press(.character("b")).isEmpty)
        #expect(screen(model)[22] == "Buzz, player: _")
        let requests = type("Ann Lee", in: &model)
        #expect(requests.map(\.request.method) == [.send])
        #expect(
            requests.first?.request.params
                == [
                    Member("session", .string("quiz")), Member("event", .string("buzz")),
                    Member("args", .object([Member("player", .string("Ann Lee"))])),
                    Member("entry", .int(40)),
                ])
        _ = try model.receive(answer("{}"), for: requests[0].purpose, nowMs: 0)
        #expect(screen(model)[22] == "Buzz: done")
    }

    @Test func `a text of digits stays a text if the flow declares one`() throws {
        var model = try model()
        _ = model.press(.character("1"))
        #expect(
            type("4711", in: &model).first?.request.params["args"]
                == .object([Member("say", .string("4711"))]))
    }

    @Test func `a dangerous event is sent only after a y`() throws {
        var model = try model()
        #expect(model.press(.character("2")).isEmpty)
        #expect(screen(model)[22] == "End the show? y or n _")
        #expect(model.press(.character("x")).isEmpty)
        #expect(model.prompt == nil)
        _ = model.press(.character("2"))
        #expect(model.press(.character("y")).map(\.request.method) == [.send])
    }

    @Test func `what was typed concerns the session and the entry that were seen`() throws {
        var model = try model()
        _ = model.press(.character("b"))
        let later = Self.quiz.replacing(#""entry":40"#, with: #""entry":41"#, maxReplacements: 1)
        _ = try model.receive(answer(later), for: .status("quiz"), nowMs: 0)
        #expect(type("Ann", in: &model).first?.request.params["entry"] == .int(40))
    }

    @Test func `operators undo, pause, resume, show a message and acknowledge an alert`() throws {
        var model = try model()
        #expect(model.press(.character("U")).map(\.request.method) == [.undo])
        #expect(model.press(.character("P")).first?.request.params["action"] == .string("pause"))
        let paused = Self.quiz.replacing(#""paused":false"#, with: #""paused":true"#)
        _ = try model.receive(answer(paused), for: .status("quiz"), nowMs: 0)
        #expect(model.press(.character("P")).first?.request.params["action"] == .string("resume"))
        _ = model.press(.character("M"))
        _ = model.press(.character("x"))
        _ = model.press(.backspace)
        #expect(
            type("Wait!", in: &model).first?.request.params
                == [Member("session", .string("quiz")), Member("text", .string("Wait!"))])
        #expect(
            model.press(.character("A")).first?.request.params["id"] == .string("connection:hall"))
    }

    @Test func `a change asks for the status once at a time, and a refusal is in the log`() throws {
        var model = try model()
        let change = #"""
            {"session":"quiz","kind":"keep","seq":8,"pos":9,"atMs":0,"entry":40,
             "from":{"state":"question","data":{}},"to":{"state":"question","data":{}},
             "event":{"name":"hint","args":{"say":"x"}},"source":{"kind":"unix"},"effects":[],"deferred":0}
            """#
        let notification = Message.ServerNotification(
            method: "change", params: try value(change), raw: [])
        #expect(
            try model.receive(notification, nowMs: 0).map(\.purpose) == [.status("quiz")])
        #expect(try model.receive(notification, nowMs: 0).isEmpty)
        #expect(
            try model.receive(answer(Self.quiz), for: .status("quiz"), nowMs: 0).map(\.purpose)
                == [.status("quiz")])
        #expect(screen(model).contains { $0.contains("#8") && $0.contains("hint") })
    }

    @Test func `the arrows choose the session, and a closed one is left`() throws {
        var model = try model()
        #expect(
            model.press(.down).map(\.purpose) == [.description(of: "vault"), .history(of: "vault")])
        #expect(model.selectedName == "vault")
        #expect(model.press(.down).isEmpty)
        let close = Message.ServerNotification(
            method: "change",
            params: try value(
                #"{"session":"vault","kind":"close","seq":2,"pos":3,"atMs":0,"from":{"state":"lobby","data":{}},"source":{"kind":"unix"}}"#
            ), raw: [])
        _ = try model.receive(close, nowMs: 0)
        #expect(model.selectedName == "quiz")
    }

    @Test func `without a connection the screen says so and keeps what was known`() throws {
        var model = try model()
        model.outage = "nothing listens"
        let lines = screen(model)
        #expect(lines[1] == "no connection: nothing listens")
        #expect(lines[2].contains("question"))
        #expect(model.tick(seconds: 5).isEmpty)
    }

    @Test func `control characters in names cannot control the terminal`() throws {
        var model = try model()
        let evil = Self.quiz.replacing("Owls", with: "\\u001b[2J", maxReplacements: 1)
        _ = try model.receive(answer(evil), for: .status("quiz"), nowMs: 0)
        #expect(!screen(model).joined().contains("\u{1B}"))
    }
}

extension String {
    /// The text without spaces at its end.
    fileprivate var trimmed: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
