public import JSON
public import Sessions
internal import Support

/// Why a request has no result: it was not understood, or it was refused.
public enum CallError: Error, Equatable, Sendable {
    case parseError(_ why: String)
    case invalidRequest(_ why: String)
    case methodNotFound(_ method: String)
    case invalidParams(_ why: String)
    case refused(RequestError)

    /// A line, or a piece of one, that is not JSON as it is taken here.
    init(_ error: JSONError) {
        switch error {
        case .malformed(let why, _): self = .parseError(why)
        case .tooDeep: self = .refused(.limit(which: "depth", limit: JSONText.depthLimit))
        }
    }

    /// A line that is not of words, or whose object is not JSON.
    public init(_ flaw: TextWords.Flaw) {
        switch flaw.reason {
        case .words(let why): self = .parseError(why)
        case .object(let error): self.init(error)
        }
    }

    /// In words, where it has any besides its name.
    public var why: String {
        switch self {
        case .parseError(let why), .invalidRequest(let why), .invalidParams(let why): why
        case .methodNotFound(let method): method
        case .refused(let error): error.name.description
        }
    }

    /// JSON-RPC's number for it.
    var code: Int {
        switch self {
        case .parseError: -32700
        case .invalidRequest: -32600
        case .methodNotFound: -32601
        case .invalidParams: -32602
        case .refused(let error): error.number
        }
    }

    /// What it is called in the text dialect.
    public var name: StaticString {
        switch self {
        case .parseError: "parseError"
        case .invalidRequest: "invalidRequest"
        case .methodNotFound: "methodNotFound"
        case .invalidParams: "invalidParams"
        case .refused(let error): error.name
        }
    }

    /// JSON-RPC's own words for its own errors; the project's are called by their names.
    fileprivate var message: StaticString {
        switch self {
        case .parseError: "Parse error"
        case .invalidRequest: "Invalid Request"
        case .methodNotFound: "Method not found"
        case .invalidParams: "Invalid params"
        case .refused: name
        }
    }

    /// The error as a line of the text dialect, without its end.
    func writeLine(to writer: inout JSONWriter) {
        writer.raw("ERR ")
        writer.raw(name)
        writer.raw(" ")
        writeData(to: &writer)
    }

    /// What a client is told of it besides its name.
    func writeData(to writer: inout JSONWriter) {
        switch self {
        case .refused(let error): writer.object(error.data)
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
    /// An error as JSON-RPC has it: its code, its name and its data.
    mutating func error(_ error: CallError) {
        beginObject()
        name("code")
        int(error.code)
        name("message")
        string(error.message.description)
        name("data")
        error.writeData(to: &self)
        endObject()
    }
}
