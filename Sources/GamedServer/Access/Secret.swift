import COpenSSL
import Support

/// The SHA-256 hash of a token of 32 random bytes. The token itself is not stored.
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
    init(of token: String) { hash = Self.hash(token) }

    /// Makes a token and its hash. Wraps RAND_bytes(3); nil if no random bytes are available.
    static func make() -> (token: String, secret: Secret)? {
        var bytes = [UInt8](repeating: 0, count: 32)
        guard RAND_bytes(&bytes, Int32(bytes.count)) == 1 else { return nil }
        let token = Hexadecimal.write(bytes, uppercase: false)
        return (token, Secret(of: token))
    }

    /// Compares two hashes in constant time. Wraps CRYPTO_memcmp(3).
    func matches(_ other: Secret) -> Bool {
        hash.count == other.hash.count && CRYPTO_memcmp(hash, other.hash, hash.count) == 0
    }

    var text: String { Hexadecimal.write(hash, uppercase: false) }

    /// Wraps SHA256(3).
    private static func hash(_ token: String) -> [UInt8] {
        let bytes = Array(token.utf8)
        var hash = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        SHA256(bytes, bytes.count, &hash)
        return hash
    }
}
