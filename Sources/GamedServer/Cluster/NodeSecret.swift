import Support

/// The secret that all nodes of a store share, and what proves that a node has it.
struct NodeSecret {
    private let key: [UInt8]

    /// The shortest secret that is accepted, in bytes.
    static let shortest = 16

    init(_ key: [UInt8]) { self.key = key }

    /// A number that is used once; empty if no random bytes are available. Then no proof is accepted.
    static func makeNonce() -> String {
        MessageDigest.random().map { Hexadecimal.write($0, uppercase: false) } ?? ""
    }

    /// The side of a connection that proves itself. A proof of one side is not valid for the other.
    enum Side: String { case connecting, accepting }

    /// HMAC-SHA-256 of the side and both numbers.
    func proof(of side: Side, _ nonces: String...) -> String {
        let text = ([side.rawValue] + nonces).joined(separator: " ")
        return Hexadecimal.write(MessageDigest.hmac(key, Array(text.utf8)), uppercase: false)
    }

    /// Compares two proofs in constant time. An empty one matches nothing.
    static func matches(_ a: String, _ b: String) -> Bool {
        !a.isEmpty && MessageDigest.areEqual(Array(a.utf8), Array(b.utf8))
    }
}
