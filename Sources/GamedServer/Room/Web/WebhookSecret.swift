import COpenSSL

/// A key that signs webhooks by Standard Webhooks 1.0.
struct WebhookSecret: Equatable {
    private let key: [UInt8]

    /// The permitted lengths of a key in bytes.
    static let keyLengths = 24...64
    /// The maximum number of keys for an `on` line.
    static let keyLimit = 4

    /// Reads `whsec_` and the key in Base64; nil if the text is not such a key.
    init?(_ text: String) {
        let prefix = "whsec_"
        guard text.hasPrefix(prefix) else { return nil }
        let encoded = Array(text.utf8.dropFirst(prefix.utf8.count))
        let padding = encoded.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard encoded.count % 4 == 0, padding <= 2, encoded.count <= 4 * Self.keyLengths.upperBound
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: encoded.count / 4 * 3 + 1)
        let count = EVP_DecodeBlock(&bytes, encoded, Int32(encoded.count))
        guard count >= 0, case let key = Array(bytes.prefix(Int(count) - padding)),
            Self.keyLengths.contains(key.count)
        else { return nil }
        self.key = key
    }

    /// The signature of a message at a time in Unix seconds: `v1,` and the HMAC-SHA256 in Base64.
    func signature(id: String, seconds: Int, body: [UInt8]) -> String {
        let message = Array("\(id).\(seconds).".utf8) + body
        let code = MessageDigest.hmac(key, message)
        var encoded = [UInt8](repeating: 0, count: 4 * ((code.count + 2) / 3) + 1)
        let length = EVP_EncodeBlock(&encoded, code, Int32(code.count))
        return "v1," + String(decoding: encoded.prefix(Int(length)), as: UTF8.self)
    }
}
