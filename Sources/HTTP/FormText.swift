import Support

/// The encoding of forms and queries: `name=value&name=value`, with `%` escapes.
package enum FormText {
    /// The decoded names and values; nil if a name appears twice or a part cannot be decoded.
    package static func pairs(in text: ArraySlice<UInt8>) -> [String: String]? {
        var pairs: [String: String] = [:]
        for pair in text.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decode(parts[0], plusIsSpace: true),
                let value = parts.count > 1 ? decode(parts[1], plusIsSpace: true) : "",
                pairs[name] == nil
            else { return nil }
            pairs[name] = value
        }
        return pairs
    }

    /// The text with its `%` escapes resolved; nil if the result is not UTF-8. A `%` without two hexadecimal digits stands for
    /// itself. In queries and forms (`plusIsSpace`), `+` stands for a space; in paths it stands for itself.
    package static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool) -> String? {
        if !text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) {
            return String(validating: text, as: UTF8.self)
        }
        var decoded: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.prefix(2).count == 2,
                let escaped = Hexadecimal.byte(rest.prefix(2))
            {
                decoded.append(escaped)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }
}
