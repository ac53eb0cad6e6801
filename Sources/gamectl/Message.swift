import GameFlow
import JSON

/// One line from the daemon, read.
enum Message {
    case reply(id: Int?, Result<Answer, Refused>)
    case notice(Notice)

    /// A request's result, and as it came.
    struct Answer {
        let value: Value
        let raw: [UInt8]
    }

    /// Something that happened, told without being asked for.
    struct Notice {
        let method: String
        let params: Value
        let raw: [UInt8]
    }

    init(_ line: ArraySlice<UInt8>) throws(Failure) {
        var text = JSONText()
        do { try text.read(line) } catch { throw .fault("a line is no JSON: \(Self.cut(line))") }
        guard text.kind(JSONText.root) == .object else {
            throw .fault("a line is no object: \(Self.cut(line))")
        }
        var nodes: [String: Int] = [:]
        for (name, value) in text.members(of: JSONText.root) {
            if let name = text.string(at: name) { nodes[name] = value }
        }
        guard let version = nodes["jsonrpc"], text.says("2.0", at: version) else {
            throw .fault("a line is no JSON-RPC 2.0: \(Self.cut(line))")
        }
        if let method = nodes["method"] {
            self = .notice(try Self.notice(method, nodes["params"], text))
        } else {
            self = try Self.reply(nodes, text)
        }
    }

    private static func notice(_ method: Int, _ params: Int?, _ text: borrowing JSONText)
        throws(Failure)
        -> Notice
    {
        guard let name = text.string(at: method) else { throw .fault("a method is no string") }
        guard let params else { return Notice(method: name, params: .object([]), raw: emptyObject) }
        guard text.kind(params) == .object else { throw .fault("params are no object") }
        return Notice(
            method: name, params: text.value(at: params), raw: text.raw(at: params))
    }

    private static func reply(_ nodes: [String: Int], _ text: borrowing JSONText) throws(Failure)
        -> Message
    {
        guard let id = nodes["id"] else { throw .fault("a reply has no id") }
        let number: Int?
        switch text.value(at: id) {
        case .int(let id): number = id
        case .null: number = nil
        default: throw .fault("a reply has an id that was never asked with")
        }
        switch (nodes["result"], nodes["error"]) {
        case (let result?, nil):
            guard text.kind(result) == .object else { throw .fault("a result is no object") }
            let answer = Answer(value: text.value(at: result), raw: text.raw(at: result))
            return .reply(id: number, .success(answer))
        case (nil, let error?):
            let raw = text.raw(at: error)
            return .reply(id: number, .failure(try Refused(text.value(at: error), raw: raw)))
        default: throw .fault("a reply has neither a result nor an error, or both")
        }
    }

    private static let emptyObject = Array("{}".utf8)

    /// The beginning of a line that makes no sense, fit to be shown.
    private static func cut(_ line: ArraySlice<UInt8>) -> String {
        TerminalSafe.word(String(decoding: line.prefix(60), as: UTF8.self))
            + (line.count > 60 ? "…" : "")
    }
}
