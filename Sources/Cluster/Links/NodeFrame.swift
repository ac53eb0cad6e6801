package import GameFlow
import JSONCoding
import Parts
import RPC

/// A line between two nodes: `!` and a JSON object. One connection carries the requests of all clients of the connecting node
/// to sessions of the accepting node. The connecting node gives each client a number, which is the first value of the frames
/// about that client.
package enum NodeFrame: Equatable {
    /// The first line, from the node that connects: its identity, the identity and the address of the node that it wants to
    /// reach, and its nonce, a random text for the proofs. The line of an earlier version names no node that it wants to reach;
    /// `to` and `address` are then empty.
    case hello(node: String, to: String, address: String, nonce: String)
    /// The answer of the accepting node: its nonce.
    case challenge(nonce: String)
    /// The proof of the node that connects.
    case proof(String)
    /// The accepting node has accepted the proof or the certificate: requests may follow. `proof` is the proof of the accepting
    /// node; nil if the nodes prove themselves by certificates.
    case ready(proof: String?)
    /// A client's source and rights. This frame is sent before the client's first request. When the source or the rights have
    /// changed, it is sent again before the next request. `needsArgumentConversion` says whether the receiver must convert the
    /// arguments of the client's events to the types that the flow declares. `needsLinkedSteps` says whether the receiver must
    /// add `linkedSteps` to the result of `status`. `resumesWatches` says whether the sender handles the frame `serves`. An
    /// earlier version ignores the last two.
    case client(
        Int, source: Value, grants: Value, needsArgumentConversion: Bool,
        needsLinkedSteps: Bool = false, resumesWatches: Bool = false)
    /// A request of a client, or in the other direction a reply or a notification for the client. `sinceMs` is the earliest time
    /// at which the client may have sent the request, in milliseconds of the database's time; nil if it is not known.
    case line(Int, String, sinceMs: Int? = nil)
    /// A shard of the accepting node has moved to another owner: the client's watches of the shard's sessions must be resumed
    /// there.
    case moved(Int, shard: Int)
    /// The accepting node now serves this shard, whose newest change has the number `pos`. The client's watch of all sessions
    /// must be resumed in this shard. Only a client with `resumesWatches` gets this frame.
    case serves(Int, shard: Int, pos: Int)
    /// The client has disconnected from the connecting node.
    case end(Int)
    /// A request to send an output. The first value is the number of the request. The receiver does not send the output after
    /// `until`, in milliseconds of the database's time, because the frame may have been delayed in a stalled connection.
    case deliver(Int, output: Value, until: Int?)
    /// The result of the `deliver` request with this number: the reason of a failure, or nil.
    case delivered(Int, failure: String?)
    /// Shows that the node still runs. The connecting node sends a ping every 5 s, and the accepting node answers it with a
    /// ping. A node that receives nothing for about 20 s closes the connection.
    case ping

    /// The first byte of each frame. No request of a client begins with this byte.
    package static let mark = UInt8(ascii: "!")
    /// The maximum length of a frame in bytes. A frame contains a client's line as JSON text, in which one byte of the line may
    /// need six bytes, such as `\u0001`. The remaining space is for the other members of the frame.
    package static let limit = 8 * LineBuffer.limit
    /// The maximum length of a frame from the accepting node, which can contain a long page, in bytes.
    package static let replyLimit = 2 * ServerLimits.outgoingNodeBacklog

    /// The frame as a line, newline included.
    package var bytes: [UInt8] {
        [Self.mark] + JSONWriter.bytes { $0.object(members) } + [0x0A]
    }

    private var members: [Member] {
        switch self {
        case .hello(let node, let accepting, let address, let nonce):
            [
                Member("hello", node), Member("to", accepting), Member("address", address),
                Member("nonce", nonce),
            ]
        case .challenge(let nonce): [Member("challenge", nonce)]
        case .proof(let proof): [Member("proof", proof)]
        case .ready(let proof):
            [Member("ready", .bool(true))] + (proof.map { [Member("proof", $0)] } ?? [])
        case .client(
            let client, let source, let grants, let needsArgumentConversion, let needsLinkedSteps,
            let resumesWatches):
            [Member("client", client), Member("source", source), Member("grants", grants)]
                + (needsArgumentConversion ? [Member("converts", .bool(true))] : [])
                + (needsLinkedSteps ? [Member("linkedSteps", .bool(true))] : [])
                + (resumesWatches ? [Member("resumes", .bool(true))] : [])
        case .line(let client, let line, let sinceMs):
            [Member("client", client), Member("line", line)]
                + (sinceMs.map { [Member("sinceMs", $0)] } ?? [])
        case .moved(let client, let shard): [Member("client", client), Member("moved", shard)]
        case .serves(let client, let shard, let pos):
            [Member("client", client), Member("serves", shard), Member("pos", pos)]
        case .end(let client): [Member("client", client), Member("end", .bool(true))]
        case .deliver(let number, let output, let until):
            [Member("deliver", number), Member("output", output)]
                + (until.map { [Member("until", $0)] } ?? [])
        case .delivered(let number, let failure):
            [Member("delivered", number)] + (failure.map { [Member("failure", $0)] } ?? [])
        case .ping: [Member("ping", .bool(true))]
        }
    }

    /// Reads a frame, without its newline; nil if the line is not a frame.
    package init?(_ line: some Collection<UInt8>) {
        guard line.first == Self.mark, case .object(let members)? = Value(json: line.dropFirst())
        else { return nil }
        self.init(members)
    }

    /// Reads the members of a frame's object. The kind of frame follows from which members exist.
    private init?(_ members: [Member]) {
        func text(_ name: String) -> String? { members[name]?.text }
        func number(_ name: String) -> Int? {
            guard case .int(let number)? = members[name] else { return nil }
            return number
        }
        if let client = number("client") {
            if let line = text("line") {
                self = .line(client, line, sinceMs: number("sinceMs"))
            } else if let shard = number("moved") {
                self = .moved(client, shard: shard)
            } else if let shard = number("serves"), let pos = number("pos") {
                self = .serves(client, shard: shard, pos: pos)
            } else if let source = members["source"], let grants = members["grants"] {
                self = .client(
                    client, source: source, grants: grants,
                    needsArgumentConversion: members["converts"] == .bool(true),
                    needsLinkedSteps: members["linkedSteps"] == .bool(true),
                    resumesWatches: members["resumes"] == .bool(true))
            } else if members["end"] != nil {
                self = .end(client)
            } else {
                return nil
            }
        } else if let delivery = number("deliver"), let output = members["output"] {
            self = .deliver(delivery, output: output, until: number("until"))
        } else if let delivery = number("delivered") {
            self = .delivered(delivery, failure: text("failure"))
        } else if let node = text("hello"), let nonce = text("nonce") {
            self = .hello(
                node: node, to: text("to") ?? "", address: text("address") ?? "", nonce: nonce)
        } else if let nonce = text("challenge") {
            self = .challenge(nonce: nonce)
        } else if members["ready"] != nil {
            self = .ready(proof: text("proof"))
        } else if let proof = text("proof") {
            self = .proof(proof)
        } else if members["ping"] != nil {
            self = .ping
        } else {
            return nil
        }
    }
}
