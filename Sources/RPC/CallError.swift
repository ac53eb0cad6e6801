public import JSONCoding
public import Sessions
public import Support

/// Why a request has no result: it is malformed or was refused.
public enum CallError: DescribedError, Equatable, Sendable {
    // The first four cases are the errors of the same names in the JSON-RPC specification.

    /// The line is not valid JSON, or not a valid line of the text dialect.
    case parseError(_ why: String)
    /// The line is valid JSON, but not a request.
    case invalidRequest(_ why: String)
    /// There is no method of this name.
    case methodNotFound(_ method: String)
    /// The parameters do not suit the method, or the daemon lacks what they need.
    case invalidParams(_ why: String)
    /// The request is well-formed, but cannot be executed.
    case refused(RequestError)
    /// Another dispatcher, to which the request was routed, wrote this error.
    case relayed(RelayedError)

    /// The error for a line, or a part of a line, that is not valid JSON or exceeds the limits of the JSON parser.
    init(_ error: JSONError) {
        switch error {
        case .malformed(let why, _): self = .parseError(why)
        case .tooDeep: self = .refused(.limit(which: "depth", limit: JSONText.depthLimit))
        }
    }

    /// The error for a line of the text dialect that cannot be split into words, or that contains an object that is
    /// not valid JSON.
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

    /// The JSON-RPC error code.
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

    /// The `message` of the JSON-RPC error: JSON-RPC's own text for its predefined errors, the name
    /// for the daemon's errors.
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

    /// Writes an object that explains the error. It is the `data` of a JSON-RPC error, and follows the name in the text
    /// dialect.
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
    /// Writes a JSON-RPC reply with an error that another dispatcher wrote. Its id is null, because it answers an HTTP request
    /// that has no id.
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
