internal import GameFlow
public import JSONCoding
public import Sessions
public import Support

/// The reason why the call of a method has no result: the request is malformed, or was refused.
public enum CallError: DescribedError, Equatable, Sendable {
    // The first four cases are the errors of the same names in the JSON-RPC specification.

    /// The line is not valid JSON, or not a valid line of the text dialect.
    case parseError(_ why: String)
    /// The line is valid JSON, but not a request.
    case invalidRequest(_ why: String)
    /// There is no method of this name.
    case methodNotFound(_ method: String)
    /// The parameters do not suit the method, or the request needs a part that this daemon does not have, such as Bluetooth.
    case invalidParams(_ why: String)
    /// The request is well-formed, but was refused for this reason.
    case refused(RequestError)
    /// The error that another dispatcher, to which the request was routed, has written.
    case relayed(RelayedError)

    /// The error for a text that is not valid JSON, or that exceeds the limits of the JSON parser. The text is a line or a part
    /// of a line.
    init(_ error: JSONError) {
        switch error {
        case .malformed(let why, _): self = .parseError(why)
        case .tooDeep: self = .refused(.limit(which: "depth", limit: JSONText.depthLimit))
        }
    }

    /// The error for a line of the text dialect. The line cannot be split into words, or an object in the line is not valid
    /// JSON.
    public init(_ error: TextWordsError) {
        switch error.reason {
        case .words(let why): self = .parseError(why)
        case .object(let jsonError): self.init(jsonError)
        }
    }

    /// For a malformed request, a sentence that explains the error; it may be empty. For an unknown method, the method's name.
    /// For a refused or relayed request, the error's name.
    public var why: String {
        switch self {
        case .parseError(let why), .invalidRequest(let why), .invalidParams(let why): why
        case .methodNotFound(let method): method
        case .refused(let error): error.name.description
        case .relayed(let error): error.name
        }
    }

    /// The JSON-RPC error code. The specification defines the first four codes.
    var code: Int {
        switch self {
        case .parseError: -32700
        case .invalidRequest: -32600
        case .methodNotFound: -32601
        case .invalidParams: -32602
        case .refused(let error): error.number
        case .relayed(let error): error.code
        }
    }

    /// The name of the limit that has refused the request; nil for another error.
    var limit: String? {
        switch self {
        case .refused(.limit(let which, _)): which
        case .relayed(let error) where error.name == "limit":
            Value(json: error.data).flatMap { data in
                guard case .object(let members) = data else { return nil }
                return members["which"]?.text
            }
        default: nil
        }
    }

    /// Whether the flow has refused an argument or a datum, for a reason of its own.
    var isOfFlow: Bool {
        switch self {
        case .refused(.invalid(_, _, _, let isOfFlow)): isOfFlow
        case .relayed(let error) where error.name == "invalid":
            if case .object(let data)? = Value(json: error.data) {
                data["ofFlow"] == .bool(true)
            } else {
                false
            }
        default: false
        }
    }

    /// The name of the error in the text dialect.
    public var name: String {
        switch self {
        case .parseError: "parseError"
        case .invalidRequest: "invalidRequest"
        case .methodNotFound: "methodNotFound"
        case .invalidParams: "invalidParams"
        case .refused(let error): error.name.description
        case .relayed(let error): error.name
        }
    }

    /// The `message` of the JSON-RPC error. For an error that JSON-RPC defines, it is the text from the JSON-RPC specification.
    /// For an error of the daemon, it is the error's name.
    fileprivate var message: String {
        switch self {
        case .parseError: "Parse error"
        case .invalidRequest: "Invalid Request"
        case .methodNotFound: "Method not found"
        case .invalidParams: "Invalid params"
        case .refused, .relayed: name
        }
    }

    /// Writes the error as a line of the text dialect, without the newline.
    func writeLine(to writer: inout JSONWriter) {
        writer.raw("ERR ")
        writer.raw(Array(name.utf8))
        writer.raw(" ")
        writeData(to: &writer)
    }

    /// Writes an object that explains the error. In JSON-RPC, the object is the `data` of the error. In the text dialect, the
    /// object follows the error's name.
    func writeData(to writer: inout JSONWriter) {
        switch self {
        case .refused(let error): writer.object(error.data)
        case .relayed(let error): writer.json(error.data)
        case .parseError(let why), .invalidRequest(let why), .invalidParams(let why):
            writer.beginObject()
            if !why.isEmpty {
                writer.name("why")
                writer.string(why)
            }
            writer.endObject()
        case .methodNotFound(let method):
            writer.beginObject()
            writer.name("method")
            writer.string(method)
            writer.name("didYouMean")
            writer.strings(DidYouMean.suggest(method, Method.allCases.map(\.name)))
            writer.endObject()
        }
    }
}

extension JSONWriter {
    /// Writes a JSON-RPC reply with an error that another dispatcher wrote. The id of the reply is null, because the reply
    /// answers an ordinary HTTP request, which has no JSON-RPC id.
    package mutating func reply(relaying error: RelayedError) {
        reply(refusing: .relayed(error))
    }

    /// Writes a JSON-RPC error object: code, message and data.
    mutating func error(_ error: CallError) {
        beginObject()
        name("code")
        int(error.code)
        name("message")
        string(error.message)
        name("data")
        error.writeData(to: &self)
        endObject()
    }
}
