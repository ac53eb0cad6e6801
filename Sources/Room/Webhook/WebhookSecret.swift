import COpenSSL
import Digest
import Parts

/// A key that signs webhooks as Standard Webhooks 1.0 defines it. `OnDirective` reads keys from the file `secret-file`.
package struct WebhookSecret: Equatable {
    private let key: [UInt8]

    /// The permitted lengths of a key in bytes.
    static let keyLengths = 24...64
    /// The maximum number of keys for an `on` line.
    static let keyLimit = 4

    /// Reads `whsec_` and the key in Base64; nil if the text is not such a key.
    package init?(_ text: String) {
        let prefix = "whsec_"
        guard text.hasPrefix(prefix) else { return nil }
        guard let key = Base64.decode(text.dropFirst(prefix.count)),
            Self.keyLengths.contains(key.count)
        else { return nil }
        self.key = key
    }

    /// The signature of a webhook with this id and body, sent at a time in Unix seconds: `v1,` and the HMAC-SHA256 in Base64.
    package func signature(id: String, seconds: Int, body: [UInt8]) -> String {
        let message = Array("\(id).\(seconds).".utf8) + body
        let hmac = MessageDigest.hmac(key, message)
        // `EVP_EncodeBlock` writes 4 characters for each 3 bytes, and then a zero byte, which `length` does not include.
        var encoded = [UInt8](repeating: 0, count: 4 * ((hmac.count + 2) / 3) + 1)
        let length = EVP_EncodeBlock(&encoded, hmac, Int32(hmac.count))
        return "v1," + String(decoding: encoded.prefix(Int(length)), as: UTF8.self)
    }
}
