import Support

/// The secret that all nodes of a store share. Each side of a connection proves with a digest that it knows the secret.
struct NodeSecret {
    private let key: [UInt8]

    /// The minimum length of a secret, in bytes.
    static let minimumLength = 16

    init(_ key: [UInt8]) { self.key = key }

    /// Returns the text of a random number of 32 bytes, which is used only once. If no random bytes are available, the text is
    /// empty, and the caller must not accept a proof.
    static func makeNonce() -> String {
        MessageDigest.random().map { Hexadecimal.write($0, uppercase: false) } ?? ""
    }

    /// The side of a connection that makes a proof. The side is part of the proof, so that the other side cannot send the same
    /// proof back.
    enum Side: String { case connecting, accepting }

    /// The HMAC-SHA-256 of the side that makes the proof and of both nonces. `checker` is the nonce of the side that checks the
    /// proof. `prover` is the nonce of the side that makes the proof.
    func proof(of side: Side, checker: String, prover: String) -> String {
        let text = [side.rawValue, checker, prover].joined(separator: " ")
        return Hexadecimal.write(MessageDigest.hmac(key, Array(text.utf8)), uppercase: false)
    }

    /// Compares two proofs in constant time. An empty proof never matches.
    static func matches(_ a: String, _ b: String) -> Bool {
        !a.isEmpty && MessageDigest.areEqual(Array(a.utf8), Array(b.utf8))
    }
}
