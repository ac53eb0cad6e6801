internal import GameFlow
internal import Support

/// Reads a type as a file declares it: `integer 0..5`, `text 1..32`, `one of a, b`, `optional duration`. For a datum, a
/// default may follow: `integer = 0`.
struct TypeText {
    let type: DataType
    /// The range that is written after the type; nil if there is no range. It limits an integer, a duration in milliseconds, or
    /// the length of a text.
    let limits: ClosedRange<Int>?
    /// The text after `=`; nil if there is none.
    let defaultText: String?

    /// The error for a text that is not a type.
    struct TypeError: DescribedError {
        let why: String
        /// The type, if only what follows it is wrong. A field of this type causes no further findings.
        var type: DataType?
    }

    init(_ text: String) throws(TypeError) {
        var text = text
        var defaultText: String?
        if let equalsSign = text.firstIndex(of: "=") {
            defaultText = Self.unquoted(text[text.index(after: equalsSign)...].trimmed)
            text = text[..<equalsSign].trimmed
        }
        self.defaultText = defaultText
        let words = text.split(separator: " ").map(String.init)
        guard words.first == "optional" else {
            (type, limits) = try Self.typeWithoutOptional(words)
            return
        }
        do {
            let (inner, limits) = try Self.typeWithoutOptional(Array(words.dropFirst()))
            (type, self.limits) = (.optional(inner), limits)
        } catch { throw TypeError(why: error.why, type: error.type.map { .optional($0) }) }
    }

    /// The types that are written as one word.
    private static let typesByWord: [String: DataType] = [
        "integer": .integer, "boolean": .boolean, "text": .text, "duration": .duration,
        "link": .link, "address": .address, "time": .time, "set": .set, "tally": .tally,
    ]

    /// The words with which a type can begin, for hints and for the `FlowFileSchema`.
    static let firstWords = [
        "integer", "boolean", "text", "duration", "time", "one of", "link", "address", "set",
        "tally", "checklist of", "order of", "optional",
    ]

    /// Reads a type, and a range after it, from words of which none is `optional`.
    private static func typeWithoutOptional(_ words: [String]) throws(TypeError)
        -> (type: DataType, limits: ClosedRange<Int>?)
    {
        guard let word = words.first else {
            throw TypeError(why: "a type is missing here, such as integer")
        }
        if word == "one" { return (.oneOf(try names(words)), nil) }
        if word == "checklist" { return (.checklist(try names(words)), nil) }
        if word == "order" {
            guard words.count == 3, words[1] == "of" else {
                throw TypeError(why: "write the name of a table: order of questions")
            }
            return (.order(table: words[2], rowCount: 0), nil)
        }
        guard let type = typesByWord[word] else {
            throw TypeError(
                why: "\(word) is not a type; \(DidYouMean.hint(word, firstWords))")
        }
        guard words.count > 1 else { return (type, nil) }
        guard words.count == 2, [.integer, .text, .duration].contains(type) else {
            throw TypeError(
                why: "\(words.dropFirst().joined(separator: " ")) does not belong after \(word)",
                type: type)
        }
        do { return (type, try range(words[1], type)) } catch {
            throw TypeError(why: error.why, type: type)
        }
    }

    /// Reads the names of a type `one of A, B` or `checklist of A, B`.
    private static func names(_ words: [String]) throws(TypeError) -> [String] {
        guard words.count > 2, words[1] == "of" else {
            throw TypeError(why: "write the names: \(words[0]) of a, b")
        }
        // The words after `of` are joined again, because a name can contain blanks.
        let parts = words.dropFirst(2).joined(separator: " ")
            .split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= FlowFileLimit.entries.maximum else {
            throw TypeError(why: FlowFileLimit.entries.sentence)
        }
        let names = parts.map(\.trimmed)
        guard !names.contains("") else {
            throw TypeError(why: "a name is missing between two commas")
        }
        if let repeated = names.first(where: { name in names.count { $0 == name } > 1 }) {
            throw TypeError(why: "\(repeated) is here twice")
        }
        return names
    }

    /// Reads a range `LOW..HIGH` for a type. The ends of a duration's range are in milliseconds in the result.
    private static func range(_ text: String, _ type: DataType) throws(TypeError) -> ClosedRange<
        Int
    > {
        let ends = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard ends.count == 3, ends[1].isEmpty, let low = number(ends[0], type),
            let high = number(ends[2], type)
        else {
            if type == .duration, ends.contains(where: DurationText.isTooLong) {
                throw TypeError(why: "a duration is at most 10 years")
            }
            let example = type == .duration ? "1s..10m" : "1..5"
            throw TypeError(why: "\(text) is not a range; write it like \(example)")
        }
        guard low <= high else { throw TypeError(why: "\(ends[0]) is more than \(ends[2])") }
        if type == .text {
            guard low >= 0 else { throw TypeError(why: "a length is not negative") }
            guard high <= FlowFileLimit.textLength.maximum else {
                throw TypeError(why: FlowFileLimit.textLength.sentence)
            }
        }
        return low...high
    }

    private static func number(_ text: String, _ type: DataType) -> Int? {
        type == .duration ? Literal.signedDuration(text) : Literal.integer(text)
    }

    /// Returns the text without the single quotes around it, if it has them.
    private static func unquoted(_ text: String) -> String {
        let isQuoted = text.utf8.count > 1 && text.hasPrefix("'") && text.hasSuffix("'")
        return isQuoted ? String(text.dropFirst().dropLast()) : text
    }
}
