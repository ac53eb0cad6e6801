import Support

/// Percent-encoding for values in a path, a query or a form.
package enum PercentEncoding {
    /// The text, in which all bytes except the unreserved characters are written as `%XX`.
    package static func encode(_ text: String) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            let character = Character(Unicode.Scalar(byte))
            if byte < 0x80, character.isLetter || character.isNumber || "-._~".contains(character) {
                encoded.append(character)
            } else {
                encoded += "%" + Hexadecimal.write([byte], uppercase: true)
            }
        }
    }
}
