internal import JSON
public import Sessions

/// Why a request has no result: it was not understood, or it was refused.
public enum CallError: Error {
    case parseError(_ why: String)
    case invalidRequest(_ why: String)
    case methodNotFound(_ method: String)
    case invalidParams(_ why: String)
    case refused(RequestError)

    /// JSON-RPC's number for it.
    var code: Int {
        switch self {
        case .parseError: -32700
        case .invalidRequest: -32600
        case .methodNotFound: -32601
        case .invalidParams: -32602
        case .refused(let error): error.code
        }
    }

    /// What it is called in the text dialect.
    public var name: String {
        switch self {
        case .parseError: "parseError"
        case .invalidRequest: "invalidRequest"
        case .methodNotFound: "methodNotFound"
        case .invalidParams: "invalidParams"
        case .refused(let error): error.name.description
        }
    }

    /// JSON-RPC's own words for its own errors; the project's are called by their names.
    private var message: String {
        switch self {
        case .parseError: "Parse error"
        case .invalidRequest: "Invalid Request"
        case .methodNotFound: "Method not found"
        case .invalidParams: "Invalid params"
        case .refused: name
        }
    }

    /// The error as JSON-RPC has it.
    func write(to writer: inout JSONWriter) {
        if case .refused(let error) = self { return writer.error(error) }
        writer.beginObject()
        writer.name("code")
        writer.int(code)
        writer.name("message")
        writer.string(message)
        writer.name("data")
        writeData(to: &writer)
        writer.endObject()
    }

    /// What a client is told of it besides its name.
    func writeData(to writer: inout JSONWriter) {
        switch self {
        case .refused(let error): writer.data(of: error)
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
            writer.beginArray()
            for near in DidYouMean.suggest(method, Method.allCases.map(\.rawValue)) {
                writer.string(near)
            }
            writer.endArray()
            writer.endObject()
        }
    }
}
