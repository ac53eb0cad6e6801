internal import GameFlow
internal import JSON

/// The validated members of a JSON-RPC request, as node indices in the request's text.
struct Envelope {
    /// Nil for a notification, which gets no reply.
    private(set) var id: Int?
    private(set) var method = 0
    private(set) var params: Int?

    /// An invalid request, with its id if that could be read.
    struct Broken: Error {
        let id: Int?
        let why: String
    }

    init(_ node: Int, in text: borrowing JSONText) throws(Broken) {
        guard text.kind(node) == .object else {
            throw Broken(id: nil, why: "a request is an object")
        }
        var version: Int?
        var method: Int?
        var odd: Int?
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
                id = value
            } else {
                odd = name
            }
        }
        if let id, !Self.isID(id, text) {
            throw Broken(id: nil, why: "id: expected a string, or an integer within ±(2^53 − 1)")
        }
        guard let version, text.says("2.0", at: version) else {
            throw Broken(id: id, why: "jsonrpc: expected \"2.0\"")
        }
        guard let method, text.kind(method) == .string else {
            throw Broken(id: id, why: "method: expected a string")
        }
        if let odd { throw Broken(id: id, why: "\(text.string(at: odd) ?? ""): unknown") }
        if let params, text.kind(params) != .object, text.kind(params) != .array {
            throw Broken(id: id, why: "params: expected an object")
        }
        self.method = method
    }

    private static func isID(_ node: Int, _ text: borrowing JSONText) -> Bool {
        switch text.kind(node) {
        case .number: text.int(at: node) != nil
        case .string: text.value(at: node).flaw == nil
        default: false
        }
    }

    /// The requested method; nil if there is none of that name.
    func method(in text: borrowing JSONText) -> Method? {
        // The most frequent method is compared first.
        if text.says("send", at: method) { return .send }
        return text.string(at: method).flatMap(Method.init(name:))
    }
}
