/// The 32 letters and digits of codes and links. Those of Crockford's Base32: I, L, O and U are missing, because people
/// take them for other ones.
enum JoinAlphabet {
    private static let characters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    /// Up to 32 random characters; nil if no random bytes are available.
    static func random(_ count: Int) -> String? {
        MessageDigest.random().map { bytes in
            String(bytes.prefix(count).map { characters[Int($0 & 31)] })
        }
    }

    /// A text as a person typed it, in capitals, without spaces and hyphens, and with the characters that the missing
    /// ones are taken for. Other characters stay, so that the text matches nothing.
    static func normalized(_ text: String) -> String {
        String(
            text.uppercased().compactMap { character -> Character? in
                switch character {
                case "I", "L": "1"
                case "O": "0"
                case "-", " ", "\u{A0}": nil
                default: character
                }
            })
    }
}
