import GameFlow
import JSONCoding
import Room
import Testing

@testable import GamedServer

/// Values in the bodies of requests and in the payloads of MQTT messages.
@Suite struct PayloadTemplateTests {
    private func template(_ text: String) throws -> OutputTemplate {
        do throws(TemplateError) { return try OutputTemplate(text) } catch {
            Issue.record("\(error.why)")
            throw error
        }
    }

    /// The payload with `value` in place of each placeholder.
    private func payload(_ text: String, _ value: Value, type: String? = nil) throws -> String? {
        let template = try template(text)
        let payload =
            type.map { PayloadTemplate(template, ofType: $0) }
            ?? PayloadTemplate(template, writtenAs: text)
        return payload?.text { _ in value }
    }

    @Test(arguments: [
        #"x","on":false,"admin":"yes"#, #"a\"#, "a\u{1}\n\t", "é\u{301}\u{301}", "\u{2028}",
        #"\u0022"#, "",
    ])
    func `a text stays within its JSON string`(_ text: String) throws {
        let json = try #require(
            try payload(#"{"text":"<$args.text>","list":["$args.text"],"on":true}"#, .string(text)))
        #expect(
            Value(json: json.utf8)
                == .object([
                    Member("text", "<\(text)>"), Member("list", .array([.string(text)])),
                    Member("on", true),
                ]))
    }

    @Test func `a value in place of a JSON value is written as JSON`() throws {
        let text = #"{"a": $args.x, "$args.x": [$data.y]}"#
        #expect(try payload(text, 5) == #"{"a": 5, "5": [5]}"#)
        #expect(try payload(text, true) == #"{"a": true, "true": [true]}"#)
        #expect(
            try payload(text, "1,\"b\":2") == #"{"a": "1,\"b\":2", "1,\"b\":2": ["1,\"b\":2"]}"#)
        #expect(try payload("[$args.x]", .null) == "[null]")
    }

    @Test(arguments: [
        "[red] $args.text", "{\"a\":\"$args.text\",}", "say $args.text", "{$args.text",
    ])
    func `a text that is not JSON is sent as it is`(_ text: String) throws {
        let expected = text.replacing("$args.text", with: #"a"b"#)
        #expect(try payload(text, #"a"b"#) == expected)
    }

    @Test func `the media type decides about the format`() throws {
        #expect(try payload("$args.x", "a\"", type: "application/json") == #""a\"""#)
        #expect(
            try payload("x=$args.x&y=1", "1&y=2", type: "application/x-www-form-urlencoded")
                == "x=1%26y%3D2&y=1")
        #expect(try payload("{\"a\":\"$args.x\"}", "a\"", type: "text/plain") == #"{"a":"a""}"#)
        #expect(PayloadTemplate(try template("{$args.x"), ofType: "application/json") == nil)
    }
}
