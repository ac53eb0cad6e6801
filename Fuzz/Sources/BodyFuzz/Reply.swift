import Fuzzing
import GameFlow
import JSONCoding

/// A reply to one request. Its initializer stops the program if the reply is not a result or an error of JSON-RPC 2.0.
struct Reply {
    let id: Value
    let result: Value?
    let code: Int?
    let data: [Member]

    /// The messages of the protocol's errors, by their codes.
    private static let messages = [
        -32700: "Parse error", -32600: "Invalid Request", -32601: "Method not found",
        -32602: "Invalid params", 1: "noTransition", 2: "invalid", 3: "hookRefused",
        4: "forbidden", 5: "unknownSession", 6: "unknownEvent", 7: "finished", 8: "stale",
        9: "deferQueueFull", 10: "exists", 11: "limit", 12: "storage", 13: "unknownFlow",
        14: "notVirtual", 15: "unknownState",
    ]

    init(_ value: Value) {
        guard case .object(let members) = value, members.count == 3,
            members[0] == Member("jsonrpc", .string("2.0")), members[1].name == "id"
        else { fatalError("finding: not a reply: \(value)") }
        id = members[1].value
        if members[2].name == "result" {
            (result, code, data) = (members[2].value, nil, [])
            return
        }
        guard members[2].name == "error", case .object(let error) = members[2].value,
            error.map(\.name) == ["code", "message", "data"], case .int(let code) = error[0].value,
            case .object(let data) = error[2].value
        else { fatalError("finding: not an error: \(value)") }
        check(
            Self.messages[code].map { error[1].value == .string($0) } ?? false,
            "the message does not belong to the code: \(value)")
        (result, self.code, self.data) = (nil, code, data)
    }

    /// The replies in the output for one line of input. The output is one line, or empty.
    static func all(in output: [UInt8], isBatch: Bool) -> [Reply] {
        guard !output.isEmpty else { return [] }
        let line = output.dropLast()
        check(
            output.last == 0x0A && !line.contains(0x0A),
            "not one line: \(String(decoding: output, as: UTF8.self))")
        var text = JSONText()
        check(
            (try? text.read(line)) != nil, "not JSON: \(String(decoding: line, as: UTF8.self))")
        guard case .array(let values) = text.value(at: JSONText.root) else {
            return [Reply(text.value(at: JSONText.root))]
        }
        check(
            isBatch && !values.isEmpty,
            "an array is empty, or answers a request that is not a batch")
        return values.map(Reply.init)
    }

    /// The string member `name` of the error's data.
    func text(_ name: String) -> String? {
        if case .string(let text)? = data[name] { text } else { nil }
    }

    /// The names in the result's member `sessions`; empty if it has none.
    var sessions: [String] {
        guard case .object(let members)? = result, case .array(let list)? = members["sessions"]
        else { return [] }
        return list.compactMap {
            guard case .object(let session) = $0, case .string(let name)? = session["session"]
            else { return nil }
            return name
        }
    }
}
