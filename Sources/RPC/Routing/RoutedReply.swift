internal import GameFlow
internal import JSONCoding
package import Sessions

/// An error that another dispatcher wrote.
public struct RelayedError: Error, Equatable, Sendable {
    public let code: Int
    public let name: String
    /// A JSON object.
    public let data: [UInt8]

    package init(code: Int, name: String, data: [UInt8]) {
        (self.code, self.name, self.data) = (code, name, data)
    }
}

/// The reply to a `RoutedRequest`.
package enum RoutedReply {
    /// The result as JSON.
    case result([UInt8])
    case error(RelayedError)

    private static let resultPrefix = Array(#"{"jsonrpc":"2.0","id":1,"result":"#.utf8)
    private static let textPrefix = Array("OK ".utf8)

    /// Reads a line without its newline.
    package init(_ line: [UInt8]) {
        if line.starts(with: Self.resultPrefix) {
            self = .result(Array(line[Self.resultPrefix.count...].dropLast()))
        } else if line.starts(with: Self.textPrefix) {
            self = .result(Array(line[Self.textPrefix.count...]))
        } else {
            self = .error(Self.error(line))
        }
    }

    /// An error of the router itself.
    package init(_ error: RequestError) {
        self = .error(
            RelayedError(
                code: error.number, name: error.name.description,
                data: JSONWriter.bytes { $0.object(error.data) }))
    }

    private static func error(_ line: [UInt8]) -> RelayedError {
        let unreadable = RelayedError(code: -32603, name: "internalError", data: Array("{}".utf8))
        guard line.first == UInt8(ascii: "{") else {
            let words = line.split(separator: 0x20, maxSplits: 2)
            guard words.count == 3 else { return unreadable }
            return RelayedError(
                code: 0, name: String(decoding: words[1], as: UTF8.self), data: Array(words[2]))
        }
        guard case .object(let reply)? = Value(json: line),
            case .object(let members)? = reply["error"], case .int(let code)? = members["code"],
            let name = members["message"]?.text, let data = members["data"]
        else { return unreadable }
        return RelayedError(code: code, name: name, data: JSONWriter.bytes { $0.value(data) })
    }

    /// The reply as the result of the request that was routed.
    package var answer: DeferredResult.Outcome {
        switch self {
        case .result(let bytes): .success { $0.raw(bytes) }
        case .error(let error): .failure(.relayed(error))
        }
    }
}
