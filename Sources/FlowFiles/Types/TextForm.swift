/// Checks texts that must have a certain form, such as links, hardware addresses and names, and compares texts.
enum TextForm {
    /// Whether a text is a link: a scheme, `://`, at least one more character and no blank.
    static func isLink(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard let colon = scalars.firstIndex(of: ":"), let first = scalars.first,
            isLetter(first), scalars[..<colon].allSatisfy(isSchemeCharacter)
        else { return false }
        let fromColon = scalars[colon...]
        // `://` has three characters. The ASCII characters 9...13 are the tab and the line ends.
        return fromColon.starts(with: "://".unicodeScalars) && fromColon.count > 3
            && !scalars.contains {
                $0.isASCII ? $0 == " " || 9...13 ~= $0.value : $0.properties.isWhitespace
            }
    }

    /// Returns a hardware address in the form in which it is stored: in upper case, with `:` between the octets. Nil if the
    /// text is not a hardware address: six octets of two hexadecimal digits, joined by `:` or `-`.
    static func canonicalAddress(_ text: String) -> String? {
        let separator: Character = text.contains("-") ? "-" : ":"
        let octets = text.split(separator: separator, omittingEmptySubsequences: false)
        let isHex = octets.allSatisfy {
            $0.utf8.count == 2 && $0.allSatisfy { $0.isASCII && $0.isHexDigit }
        }
        guard octets.count == 6, isHex else { return nil }
        return octets.map { $0.uppercased() }.joined(separator: ":")
    }

    /// The reason why a text cannot be a name; nil if it can. `allowsHyphen` tells whether `-` is allowed as well.
    static func nameMistake(_ name: String, allowsHyphen: Bool = false) -> String? {
        guard let first = name.unicodeScalars.first else { return "a name is missing here" }
        guard name.unicodeScalars.count <= FlowFileLimit.nameLength.maximum else {
            return FlowFileLimit.nameLength.sentence
        }
        let isValid =
            isLetter(first)
            && name.unicodeScalars.allSatisfy {
                isLetter($0) || ("0"..."9").contains($0) || $0 == "_" || allowsHyphen && $0 == "-"
            }
        let hyphen = allowsHyphen ? ", -" : ""
        guard isValid else {
            return
                "\(name.debugDescription) is not a name; a name is a letter, then letters, digits\(hyphen) and _"
        }
        return reserved.contains(name)
            ? "\(name) is a word of the language; choose another name" : nil
    }

    /// Whether a text is the name of a language, such as `en` or `pt-BR` (BCP 47).
    static func isLanguage(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = parts.first, 2...8 ~= first.utf8.count, parts.count <= 4 else {
            return false
        }
        return first.unicodeScalars.allSatisfy(isLetter)
            && parts.allSatisfy { part in
                1...8 ~= part.utf8.count
                    && part.unicodeScalars.allSatisfy { isLetter($0) || ("0"..."9").contains($0) }
            }
    }

    /// The words of the language of expressions, which cannot be names in a flow file.
    static let reserved: Set<String> = [
        "if", "else", "and", "or", "not", "in", "true", "false", "null", "none", "state", "event",
        "settings", "args",
    ]

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }

    private static func isSchemeCharacter(_ scalar: Unicode.Scalar) -> Bool {
        isLetter(scalar) || ("0"..."9").contains(scalar) || scalar == "+" || scalar == "-"
            || scalar == "."
    }
}

extension Substring {
    /// The text without blanks at its ends.
    var trimmed: String {
        let blank = UInt8(ascii: " ")
        let bytes = utf8.drop { $0 == blank }
        guard let last = bytes.lastIndex(where: { $0 != blank }) else { return "" }
        return String(self[bytes.startIndex...last])
    }
}
