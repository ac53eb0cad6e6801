import GameFlow
import JSONCoding

/// One line from the daemon, parsed: a reply or a notification of JSON-RPC.
enum Message {
    /// `id` is the id of the request; nil if the daemon could not read it.
    case reply(id: Int?, Result<MethodResult, ErrorReply>)
    case notification(ServerNotification)

    /// The result of a request.
    struct MethodResult {
        let value: Value
        /// The result's bytes as received, for `--json`.
        let raw: [UInt8]
    }

    /// A notification of the daemon, such as one about a change.
    struct ServerNotification {
        let method: String
        let params: Value
        /// The bytes of `params` as received, for `--json`.
        let raw: [UInt8]
    }

    /// Parses a line without its end. Throws `protocolError` if the line is not a reply or notification of JSON-RPC 2.0.
    init(_ line: ArraySlice<UInt8>) throws(CommandError) {
        var text = JSONText()
        do { try text.read(line) } catch {
            throw .protocolError("a line is not JSON: \(Self.beginning(of: line))")
        }
        guard text.kind(JSONText.root) == .object else {
            throw .protocolError("a line is not an object: \(Self.beginning(of: line))")
        }
        // The node of each member's value, by the member's name. A node is the index of a value in `text`.
        var nodes: [String: Int] = [:]
        for (name, value) in text.members(of: JSONText.root) {
            if let name = text.string(at: name) { nodes[name] = value }
        }
        guard let version = nodes["jsonrpc"], text.isString("2.0", at: version) else {
            throw .protocolError("a line is not JSON-RPC 2.0: \(Self.beginning(of: line))")
        }
        if let methodNode = nodes["method"] {
            self = .notification(try Self.notification(methodNode, nodes["params"], text))
        } else {
            self = try Self.reply(nodes, text)
        }
    }

    private static func notification(
        _ methodNode: Int, _ paramsNode: Int?, _ text: borrowing JSONText
    ) throws(CommandError) -> ServerNotification {
        guard let method = text.string(at: methodNode) else {
            throw .protocolError("a method is not a string")
        }
        guard let paramsNode else {
            return ServerNotification(method: method, params: .object([]), raw: emptyObject)
        }
        guard text.kind(paramsNode) == .object else {
            throw .protocolError("params are not an object")
        }
        return ServerNotification(
            method: method, params: text.value(at: paramsNode), raw: text.raw(at: paramsNode))
    }

    private static func reply(_ nodes: [String: Int], _ text: borrowing JSONText)
        throws(CommandError)
        -> Message
    {
        guard let idNode = nodes["id"] else { throw .protocolError("a reply has no id") }
        let id: Int?
        switch text.value(at: idNode) {
        case .int(let number): id = number
        case .null: id = nil
        default: throw .protocolError("a reply has an id that is not an integer")
        }
        switch (nodes["result"], nodes["error"]) {
        case (let result?, nil):
            guard text.kind(result) == .object else {
                throw .protocolError("a result is not an object")
            }
            let answer = MethodResult(value: text.value(at: result), raw: text.raw(at: result))
            return .reply(id: id, .success(answer))
        case (nil, let error?):
            let raw = text.raw(at: error)
            return .reply(id: id, .failure(try ErrorReply(text.value(at: error), raw: raw)))
        default: throw .protocolError("a reply must have either a result or an error")
        }
    }

    private static let emptyObject = Array("{}".utf8)

    /// How many bytes of an invalid line an error message shows.
    private static let shownBytes = 60

    /// The beginning of an invalid line, escaped for a terminal.
    private static func beginning(of line: ArraySlice<UInt8>) -> String {
        TerminalSafe.escaped(String(decoding: line.prefix(shownBytes), as: UTF8.self))
            + (line.count > shownBytes ? "…" : "")
    }
}

/// Splits received bytes into lines. Replies can be long: a list of ten thousand sessions is one line.
struct LineReader {
    /// The greatest length of a line, in bytes; it bounds the memory that a faulty daemon can take.
    static let limit = 64 << 20

    /// The received bytes. Those before the index `head` were returned as lines, and the next `append` removes them.
    private var bytes: [UInt8] = []
    /// The index of the first byte that was not returned.
    private var head = 0
    /// The index at which the search for the next line end continues: no byte from `head` to this index is a line end.
    private var searched = 0

    /// Adds received bytes.
    mutating func append(_ more: UnsafeRawBufferPointer) {
        if head > 0 {
            bytes.removeFirst(head)
            searched -= head
            head = 0
        }
        bytes.append(contentsOf: more)
    }

    /// Returns the next line, without its end; nil if no complete line has arrived. Throws if the line that has begun to arrive
    /// is longer than `limit`.
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
