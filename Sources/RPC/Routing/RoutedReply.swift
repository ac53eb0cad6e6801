internal import GameFlow
internal import JSONCoding
package import Sessions

/// An error that the dispatcher of another shard or node wrote, and that is passed on to the client.
public struct RelayedError: Error, Equatable, Sendable {
    /// The number of the error in JSON-RPC; 0 if the error was read from a line of the text dialect, which has no number.
    public let code: Int
    /// The name of the error, such as `stale`.
    public let name: String
    /// The error's data, a JSON object.
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

    /// The beginning of a result in JSON-RPC. Its id is the id that each `RoutedRequest` has.
    private static let resultPrefix = Array(#"{"jsonrpc":"2.0","id":1,"result":"#.utf8)
    /// The beginning of a result in the text dialect.
    private static let textPrefix = Array("OK ".utf8)

    /// Reads a line, of either dialect, without its newline.
    package init(_ line: [UInt8]) {
        if line.starts(with: Self.resultPrefix) {
            // The last byte is the brace that ends the reply.
            self = .result(Array(line[Self.resultPrefix.count...].dropLast()))
        } else if line.starts(with: Self.textPrefix) {
            self = .result(Array(line[Self.textPrefix.count...]))
        } else {
            self = .error(Self.error(line))
        }
    }

    /// The reply to a request that the router refuses itself.
    package init(_ error: RequestError) {
        self = .error(
            RelayedError(
                code: error.number, name: error.name.description,
                data: JSONWriter.bytes { $0.object(error.data) }))
    }

    /// Reads the line of an error.
    private static func error(_ line: [UInt8]) -> RelayedError {
        let unreadable = RelayedError(code: -32603, name: "internalError", data: Array("{}".utf8))
        guard line.first == UInt8(ascii: "{") else {
            // In the text dialect: `ERR`, the name and the data.
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
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
