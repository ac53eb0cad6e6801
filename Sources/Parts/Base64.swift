import COpenSSL

/// The encoding Base64 of bytes.
package enum Base64 {
    /// The bytes of a text; nil if the text is not Base64, with its padding. Wraps EVP_DecodeBlock(3).
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let encoded = Array(text.utf8)
        let padding = encoded.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard encoded.count % 4 == 0, padding <= 2 else { return nil }
        var bytes = [UInt8](repeating: 0, count: encoded.count / 4 * 3 + 1)
        // `count` includes a zero byte for each character of the padding; it is -1 if the text is not Base64.
        let count = EVP_DecodeBlock(&bytes, encoded, Int32(clamping: encoded.count))
        guard count >= padding else { return nil }
        return Array(bytes.prefix(Int(count) - padding))
    }
}
