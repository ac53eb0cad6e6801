import GameFlow
import JSONCoding

/// A request that was sent, and what is remembered of it until it is answered.
struct SentRequest {
    let number: Int
    let method: String
    let session: String
    /// The id of a send that is to be done once only.
    var id: String?
    /// The line's own parameters, to send it again.
    let params: [Member]
    /// Whether the session was there then, as the disk has it.
    let wasOpen: Bool

    /// As a JSON-RPC request.
    var json: [UInt8] {
        JSONWriter.bytes {
            $0.object([
                Member("jsonrpc", .string("2.0")), Member("id", .int(number)),
                Member("method", .string(method)), Member("params", .object(params)),
            ])
        }
    }
}

/// What comes back for a line.
enum Awaited {
    case one(SentRequest)
    /// In the text dialect, whose answers do not say whose they are.
    case text(SentRequest)
    case batch([SentRequest])
}
