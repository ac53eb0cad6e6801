internal import JSON

/// A JSON-RPC request's own members, found to be right.
struct Envelope {
    /// Nil of a notification, which gets no reply.
    private(set) var id: RequestID?
    private(set) var methodNode = 0
    private(set) var params: Int?

    /// A message that is no request, with its id as far as that can be read.
    struct Broken: Error {
        let id: RequestID
        let why: String
    }

    init(_ node: Int, in text: borrowing JSONText) throws(Broken) {
        guard text.kind(node) == .object else {
            throw Broken(id: .none, why: "a request is an object")
        }
        var version: Int?
        var method: Int?
        var odd: Int?
        var badID = false
        var at = text.first(in: node)
        while let name = at {
            let value = name + 1
            at = text.next(after: value, in: node)
            if text.says("jsonrpc", at: name) {
                version = value
            } else if text.says("method", at: name) {
                method = value
            } else if text.says("params", at: name) {
                params = value
            } else if text.says("id", at: name) {
                id = Self.id(value, text)
                badID = id == nil
            } else {
                odd = name
            }
        }
        if badID { throw broken("id: expected a string, or an integer within ±(2^53 − 1)") }
        guard let version, text.says("2.0", at: version) else {
            throw broken("jsonrpc: expected \"2.0\"")
        }
        guard let method, text.kind(method) == .string else {
            throw broken("method: expected a string")
        }
        if let odd { throw broken("\(text.string(at: odd)!): unknown") }
        if let params, text.kind(params) != .object, text.kind(params) != .array {
            throw broken("params: expected an object")
        }
        methodNode = method
    }

    private func broken(_ why: String) -> Broken { Broken(id: id ?? .none, why: why) }

    private static func id(_ node: Int, _ text: borrowing JSONText) -> RequestID? {
        switch text.value(at: node) {
        case .int(let number): .int(number)
        case .string(let text): .string(text)
        default: nil
        }
    }

    func method(in text: borrowing JSONText) -> Method? {
        // By far the most requests.
        if text.says("send", at: methodNode) { return .send }
        return text.string(at: methodNode).flatMap(Method.init(rawValue:))
    }
}
