import GameFlow
import JSONCoding

/// One line from the daemon.
enum Message {
    case reply(id: Int?, Result<MethodResult, ErrorReply>)
    case notification(ServerNotification)

    /// The result of a request, and its bytes as received.
    struct MethodResult {
        let value: Value
        let raw: [UInt8]
    }

    /// A notification, and its parameters as received.
    struct ServerNotification {
        let method: String
        let params: Value
        let raw: [UInt8]
    }

    init(_ line: ArraySlice<UInt8>) throws(CommandError) {
        var text = JSONText()
        do { try text.read(line) } catch {
            throw .protocolError("a line is not JSON: \(Self.cut(line))")
        }
        guard text.kind(JSONText.root) == .object else {
            throw .protocolError("a line is not an object: \(Self.cut(line))")
        }
        var nodes: [String: Int] = [:]
        for (name, value) in text.members(of: JSONText.root) {
            if let name = text.string(at: name) { nodes[name] = value }
        }
        guard let version = nodes["jsonrpc"], text.isString("2.0", at: version) else {
            throw .protocolError("a line is not JSON-RPC 2.0: \(Self.cut(line))")
        }
        if let method = nodes["method"] {
            self = .notification(try Self.notification(method, nodes["params"], text))
        } else {
            self = try Self.reply(nodes, text)
        }
    }

    private static func notification(_ method: Int, _ params: Int?, _ text: borrowing JSONText)
        throws(CommandError)
        -> ServerNotification
    {
        guard let name = text.string(at: method) else {
            throw .protocolError("a method is not a string")
        }
        guard let params else {
            return ServerNotification(method: name, params: .object([]), raw: emptyObject)
        }
        guard text.kind(params) == .object else { throw .protocolError("params are not an object") }
        return ServerNotification(
            method: name, params: text.value(at: params), raw: text.raw(at: params))
    }

    private static func reply(_ nodes: [String: Int], _ text: borrowing JSONText)
        throws(CommandError)
        -> Message
    {
        guard let id = nodes["id"] else { throw .protocolError("a reply has no id") }
        let number: Int?
        switch text.value(at: id) {
        case .int(let id): number = id
        case .null: number = nil
        default: throw .protocolError("a reply has an id that is not an integer")
        }
        switch (nodes["result"], nodes["error"]) {
        case (let result?, nil):
            guard text.kind(result) == .object else {
                throw .protocolError("a result is not an object")
            }
            let answer = MethodResult(value: text.value(at: result), raw: text.raw(at: result))
            return .reply(id: number, .success(answer))
        case (nil, let error?):
            let raw = text.raw(at: error)
            return .reply(id: number, .failure(try ErrorReply(text.value(at: error), raw: raw)))
        default: throw .protocolError("a reply must have either a result or an error")
        }
    }

    private static let emptyObject = Array("{}".utf8)

    /// The beginning of an invalid line, escaped for a terminal.
    private static func cut(_ line: ArraySlice<UInt8>) -> String {
        TerminalSafe.escaped(String(decoding: line.prefix(60), as: UTF8.self))
            + (line.count > 60 ? "…" : "")
    }
}

/// Splits received bytes into lines. Replies can be long: a list of ten thousand sessions is one line.
struct LineReader {
    /// The greatest length of a line, in bytes; it bounds the memory that a faulty daemon can take.
    static let limit = 64 << 20

    private var bytes: [UInt8] = []
    /// The index of the first byte that was not returned.
    private var head = 0
    /// There is no newline before this index.
    private var searched = 0

    mutating func append(_ more: UnsafeRawBufferPointer) {
        if head > 0 {
            bytes.removeFirst(head)
            searched -= head
            head = 0
        }
        bytes.append(contentsOf: more)
    }

    /// Removes and returns the next line, without its end.
    mutating func next() throws(CommandError) -> ArraySlice<UInt8>? {
        guard let end = bytes[searched...].firstIndex(of: 0x0A) else {
            searched = bytes.count
            guard bytes.count - head <= Self.limit else {
                throw .protocolError("a line has no end")
            }
            return nil
        }
        let line = bytes[head..<end]
        (head, searched) = (end + 1, end + 1)
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
}
