import GameFlow
import JSONCoding

/// A request of a client to the simulated daemon.
struct SentRequest {
    /// The member `id` of the JSON-RPC request, which its answer repeats.
    let number: Int
    let method: String
    let session: String
    /// The id that makes a `send` idempotent.
    var id: String?
    let params: [Member]
    /// Whether the session was open on the disk when the request was sent.
    let wasOpen: Bool

    /// The request in JSON-RPC.
    var json: [UInt8] {
        JSONWriter.bytes {
            $0.object([
                Member("jsonrpc", .string("2.0")), Member("id", .int(number)),
                Member("method", .string(method)), Member("params", .object(params)),
            ])
        }
    }
}

/// The reply that a client expects to a line.
enum ExpectedReply {
    case one(SentRequest)
    /// A reply in the text dialect, in which replies have no number.
    case text(SentRequest)
    case batch([SentRequest])
}
