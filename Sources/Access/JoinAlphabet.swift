import Digest

/// The 32 digits and letters of the codes and link keys with which guests join a session. These 32 characters are the digits of
/// Crockford's Base32. I, L, O and U are missing, because these letters look like other characters.
package enum JoinAlphabet {
    private static let characters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    /// A text of `length` random characters; nil if no random bytes are available. The length is at most 32, the number of
    /// bytes that `MessageDigest.random` returns.
    static func randomText(length: Int) -> String? {
        MessageDigest.random().map { bytes in
            String(bytes.prefix(length).map { characters[Int($0 & 31)] })
        }
    }

    /// Converts a typed text: to capitals, without spaces and hyphens, with I and L as 1 and O as 0. Characters outside the
    /// alphabet stay, so that such a text matches no code.
    package static func normalized(_ text: String) -> String {
        String(
            text.uppercased().compactMap { character -> Character? in
                switch character {
                case "I", "L": "1"
                case "O": "0"
                // U+A0 is the no-break space, which a copied text can contain.
                case "-", " ", "\u{A0}": nil
                default: character
                }
            })
    }
}
