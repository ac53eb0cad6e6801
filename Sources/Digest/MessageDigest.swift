internal import COpenSSL

/// Hashes, message authentication codes and random bytes from OpenSSL.
package enum MessageDigest {
    /// The number of bytes of a SHA-256 hash.
    package static var sha256Length: Int { Int(SHA256_DIGEST_LENGTH) }

    /// The SHA-256 hash of bytes. Wraps SHA256(3).
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: sha256Length)
        SHA256(bytes, bytes.count, &hash)
        return hash
    }

    /// The HMAC-SHA-256 of a message. Wraps HMAC(3).
    package static func hmac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: sha256Length)
        var count = UInt32(code.count)
        HMAC(EVP_sha256(), key, Int32(clamping: key.count), message, message.count, &code, &count)
        return code
    }

    /// 32 random bytes; nil if no random bytes are available. Wraps RAND_bytes(3).
    package static func random() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 32)
        return RAND_bytes(&bytes, Int32(bytes.count)) == 1 ? bytes : nil
    }

    /// Whether two values are equal. The duration depends only on the lengths, so that it does not reveal how many bytes of a
    /// guessed secret are right. Wraps CRYPTO_memcmp(3).
    package static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
    }
}
