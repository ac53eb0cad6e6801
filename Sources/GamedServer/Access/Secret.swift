import COpenSSL
import Support

/// The SHA-256 hash of a token, code or link key. Only the hash is stored.
struct Secret: Equatable {
    let hash: [UInt8]

    /// Parses a stored hash: 64 hexadecimal digits.
    init?(hash text: Substring) {
        guard let bytes = Hexadecimal.read(text), bytes.count == Int(SHA256_DIGEST_LENGTH) else {
            return nil
        }
        hash = bytes
    }

    /// The hash of a presented token.
    init(of token: String) { hash = MessageDigest.sha256(token) }

    /// Makes a token of 32 random bytes, and its hash; nil if no random bytes are available.
    static func make() -> (token: String, secret: Secret)? {
        guard let bytes = MessageDigest.random() else { return nil }
        let token = Hexadecimal.write(bytes, uppercase: false)
        return (token, Secret(of: token))
    }

    /// Compares two hashes in constant time.
    func matches(_ other: Secret) -> Bool { MessageDigest.areEqual(hash, other.hash) }

    /// The form in which the hash is stored.
    var text: String { Hexadecimal.write(hash, uppercase: false) }
}
