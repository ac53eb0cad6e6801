package import JSONCoding

extension TextWord {
    /// The parts of a word `KEY=VALUE` of the configuration; nil for another word. The key is an identifier, or has only lower-case
    /// letters and hyphens.
    package var pair: (key: String, value: String)? {
        if let key { return (String(key), String(value)) }
        guard let equals = text.firstIndex(of: "=") else { return nil }
        let key = text[..<equals]
        let isKey = key.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "-") || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
        }
        guard isKey, !key.isEmpty else { return nil }
        return (String(key), String(text[text.index(after: equals)...]))
    }
}
