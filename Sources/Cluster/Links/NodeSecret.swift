import Digest
import JSONCoding
import Support

/// The secret that all nodes of a store share. Each side of a connection proves with a digest that it knows the secret.
///
/// The side that connects proves first, so that a program that connects to a node gets no digest of the secret. Both proofs
/// name the two ends of the connection. A proof is therefore of no use on any other connection: a program that passes it on
/// to another node, or back to the node that made it, is refused.
package struct NodeSecret {
    private let key: [UInt8]

    /// The minimum length of a secret, in bytes.
    package static let minimumLength = 32
    /// The minimum number of different bytes in a secret. A secret of `openssl rand -hex 32` has fewer in less than one of
    /// a million cases.
    package static let minimumVariety = 10

    /// Nil if the key is so short or so uniform that it could be found from a proof by trying keys.
    package init?(_ key: [UInt8]) {
        guard key.count >= Self.minimumLength, Set(key).count >= Self.minimumVariety else {
            return nil
        }
        self.key = key
    }

    /// Returns the text of a random number of 32 bytes, which is used only once. If no random bytes are available, the text is
    /// empty, and the caller must not accept a proof.
    package static func makeNonce() -> String {
        MessageDigest.random().map { Hexadecimal.write($0, uppercase: false) } ?? ""
    }

    /// The side of a connection that makes a proof. The side is part of the proof, so that the other side cannot send the same
    /// proof back.
    package enum Side: String { case connecting, accepting }

    /// The HMAC-SHA-256 of the side that makes the proof, of the ends of the connection and of both nonces, as text. They are
    /// written as a list in JSON, so that no two different lists have the same text.
    package func proof(of side: Side, _ handshake: NodeHandshake) -> String {
        let text = JSONWriter.bytes {
            $0.strings([
                side.rawValue, handshake.connecting, handshake.accepting, handshake.address,
                handshake.connectingNonce, handshake.acceptingNonce,
            ])
        }
        return Hexadecimal.write(MessageDigest.hmac(key, text), uppercase: false)
    }

    /// Compares two proofs in constant time. An empty proof never matches.
    package static func matches(_ a: String, _ b: String) -> Bool {
        !a.isEmpty && MessageDigest.areEqual(Array(a.utf8), Array(b.utf8))
    }
}

/// What both proofs of a connection between nodes cover.
package struct NodeHandshake: Equatable {
    /// The identity of the node that connects. Each process has its own.
    package var connecting: String
    /// The identity of the node that the connecting node wants to reach.
    package var accepting: String
    /// The address at which the connecting node has connected.
    package var address: String
    /// The random text of each side, which is used for this connection only.
    package var connectingNonce: String
    package var acceptingNonce: String

    package init(
        connecting: String, accepting: String, address: String, connectingNonce: String,
        acceptingNonce: String
    ) {
        (self.connecting, self.accepting, self.address, self.connectingNonce, self.acceptingNonce) =
            (connecting, accepting, address, connectingNonce, acceptingNonce)
    }
}
