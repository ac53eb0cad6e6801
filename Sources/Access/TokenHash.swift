import Digest
import Support

/// The SHA-256 hash of a token, code or link key. Only the hash is stored.
package struct TokenHash: Equatable {
    private let bytes: [UInt8]

    /// Parses a stored hash: 64 hexadecimal digits.
    package init?(hexadecimal text: Substring) {
        guard let bytes = Hexadecimal.read(text), bytes.count == MessageDigest.sha256Length else {
            return nil
        }
        self.bytes = bytes
    }

    /// Computes the hash of a token, code or link key.
    package init(of token: String) { bytes = MessageDigest.sha256(Array(token.utf8)) }

    /// Makes the secret text of a token, from 32 random bytes, and its hash; nil if no random bytes are available.
    static func makeToken() -> (token: String, hash: TokenHash)? {
        guard let bytes = MessageDigest.random() else { return nil }
        let token = Hexadecimal.write(bytes, uppercase: false)
        return (token, TokenHash(of: token))
    }

    /// Whether two hashes are equal. The duration of the call does not depend on the hashes, so it gives no hint to a client
    /// that guesses tokens.
    package func matches(_ other: TokenHash) -> Bool { MessageDigest.areEqual(bytes, other.bytes) }

    /// The form in which the hash is stored: 64 hexadecimal digits.
    package var text: String { Hexadecimal.write(bytes, uppercase: false) }
}
