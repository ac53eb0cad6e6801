import COpenSSL
import Support

/// A token: 32 random bytes, of which only what SHA-256 makes of them is kept.
struct Secret: Equatable {
    let hash: [UInt8]

    /// The hash as it was written down: 64 hexadecimal digits.
    init?(hash text: Substring) {
        guard let bytes = Hexadecimal.read(text), bytes.count == Int(SHA256_DIGEST_LENGTH) else {
            return nil
        }
        hash = bytes
    }

    /// What a token was shown as.
    init(of token: String) { hash = Self.hash(token) }

    /// A new token, and what is kept of it. Wraps RAND_bytes(3); nil if there is no randomness to be had.
    static func make() -> (token: String, secret: Secret)? {
        var bytes = [UInt8](repeating: 0, count: 32)
        guard RAND_bytes(&bytes, Int32(bytes.count)) == 1 else { return nil }
        let token = Hexadecimal.write(bytes, uppercase: false)
        return (token, Secret(of: token))
    }

    /// Whether two are the same, in a time that does not tell how much of them is. Wraps CRYPTO_memcmp(3).
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
