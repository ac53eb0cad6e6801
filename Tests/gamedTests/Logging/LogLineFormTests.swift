import GameFlow
import JSONCoding
import Parts
import Testing

/// The forms of a line of the log.
@Suite struct LogLineFormTests {
    private func text(_ form: LogLineForm) -> String {
        String(decoding: form.line(.sample), as: UTF8.self)
    }

    @Test func `a line of text has the time, the level, the kind and the message`() {
        #expect(
            text(.text)
                == "2026-11-28T12:48:43.456Z warning [limited] token:hall has reached\\u001b[2J "
                + "the \"limit\"\\u000arequests\n")
    }

    @Test func `a line of JSON is one object with the fields and the place in the source code`()
        throws
    {
        let line = text(.json)
        #expect(line.filter { $0 == "\n" }.count == 1 && line.hasSuffix("}\n"))
        guard case .object(let members)? = Value(json: Array(line.utf8)) else {
            Issue.record("no object: \(line)")
            return
        }
        #expect(
            members.map(\.name) == [
                "time", "level", "kind", "message", "source", "token", "file", "line", "function",
            ])
        #expect(
            members.prefix(6).map(\.value) == [
                .string("2026-11-28T12:48:43.456Z"), .string("warning"), .string("limited"),
                .string(LogEntry.sample.message), .string("token:hall"), .string("hall"),
            ])
    }

    @Test func `a line for the stream of journald begins with the number of its level`() {
        #expect(text(.prioritized).hasPrefix("<4>token:hall has reached"))
    }
}
