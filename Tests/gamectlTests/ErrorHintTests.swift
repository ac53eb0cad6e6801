import GameFlow
import Testing

@testable import GamectlTool

/// The commands that gamectl names after an error.
@Suite struct ErrorHintTests {
    private func hint(
        _ error: CommandError, verb: String? = "send", session: String = "room-1",
        mayOperate: Bool = false
    ) -> String? {
        ErrorHint(verb: verb, session: session) { mayOperate }.command(after: error)
    }

    private func refusal(_ code: Int, _ name: String, _ members: [(String, String)] = [])
        -> CommandError
    {
        let data = members.map { Member($0.0, $0.1) }
        return .refused(ErrorReply(code: code, name: name, data: data))
    }

    @Test func `a mistake in the command line leads to the help of its verb`() {
        #expect(hint(.usage("")) == "help send")
        #expect(hint(.usage(""), verb: nil) == "--help")
        #expect(hint(refusal(-32602, "Invalid params"), verb: "history") == "help history")
    }

    @Test func `a refusal leads to a command about the session of the command line`() {
        #expect(hint(refusal(1, "noTransition")) == "status @room-1")
        #expect(hint(refusal(1, "noTransition"), session: "main") == "status")
        #expect(hint(refusal(6, "unknownEvent")) == "describe @room-1")
        #expect(hint(refusal(5, "unknownSession")) == "list")
        let invalid = refusal(2, "invalid", [("event", "buzz"), ("argument", "player")])
        #expect(hint(invalid) == "describe @room-1")
        #expect(
            hint(refusal(2, "invalid", [("state", "lobby")]), verb: "timer") == "status @room-1")
        #expect(hint(refusal(2, "invalid"), verb: "undo") == "history @room-1")
        #expect(hint(refusal(2, "invalid"), verb: "reload") == nil)
        let kind = [("event", "find"), ("needs", "a source of kind mqtt")]
        #expect(hint(refusal(4, "forbidden", kind)) == "describe @room-1")
    }

    @Test func `a command that needs the role operate is named only to those who have it`() {
        let errors = [refusal(7, "finished"), refusal(13, "unknownFlow"), refusal(12, "storage")]
        #expect(
            errors.map { hint($0, mayOperate: true) }
                == ["open @room-1 again=true", "flow list", "alerts"])
        #expect(errors.map { hint($0) } == ["status @room-1", "hello", "ping"])
    }

    @Test func `a session's name cannot control the terminal`() {
        let hint = hint(refusal(1, "noTransition"), session: "\u{1B}[31m")
        #expect(hint?.unicodeScalars.contains("\u{1B}") == false)
    }

    @Test(arguments: [
        (["send", "@room-1", "pause"], "send", "room-1"),
        (["--session", "hall", "status"], "status", "hall"), (["bogus"], nil, "main"),
        (["send", "pause"], "send", "main"),
    ])
    func `the verb and the session are those of the command line`(
        _ arguments: [String], _ verb: String?, _ session: String
    ) {
        let hint = ErrorHint(arguments)
        #expect(hint.verb == verb && hint.session == session)
    }
}
