/// A word of a line: bare, or a name with a value.
struct ScenarioWord: Equatable {
    /// What stands before `=`; nil of a word without one.
    let key: String?
    let text: String
    /// Where it begins, counted in bytes from 1.
    let column: Int

    /// Splits a line at blanks, except between double quotes. Everything behind a `#` that begins a word is said
    /// to people. Nil where a quote is not closed.
    static func split(_ line: some StringProtocol) -> [ScenarioWord]? {
        var words: [ScenarioWord] = []
        let bytes = Array(line.utf8)
        var at = 0
        while at < bytes.count {
            if bytes[at] == 0x20 || bytes[at] == 0x09 {
                at += 1
                continue
            }
            if bytes[at] == UInt8(ascii: "#") { break }
            guard let word = word(bytes, &at) else { return nil }
            words.append(word)
        }
        return words
    }

    private static func word(_ bytes: [UInt8], _ at: inout Int) -> ScenarioWord? {
        let start = at
        var (text, key): ([UInt8], String?) = ([], nil)
        var isQuoted = false
        while at < bytes.count, isQuoted || (bytes[at] != 0x20 && bytes[at] != 0x09) {
            switch bytes[at] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "=") where key == nil && !isQuoted:
                key = String(decoding: text, as: UTF8.self)
                text = []
            default: text.append(bytes[at])
            }
            at += 1
        }
        if isQuoted { return nil }
        return ScenarioWord(
            key: key, text: String(decoding: text, as: UTF8.self), column: start + 1)
    }
}
