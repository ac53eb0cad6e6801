/// An option that a program takes, such as `--socket PATH`, and what its help, its manual and its shell
/// completions say about it.
///
/// `sentence` and `details` are plain text in which `` `words` `` are literal, `$NAME` is an environment variable,
/// `/path` is a file, `name(8)` is a manual page and `[Title]` is a section of the program's manual.
public struct LongOption: Sendable {
    public let name: String
    /// How the help writes the value, such as `PATH` or `real|virtual`: capitals stand for something, small letters for
    /// themselves. Nil if the option takes no value.
    public let value: String?
    /// The value that holds if the option is not given; nil if there is none to name.
    public let standard: String?
    /// What the option does, in one sentence.
    public let sentence: String
    /// What the manual says behind the sentence.
    public let details: String

    public init(
        _ name: String, value: String? = nil, standard: String? = nil, _ sentence: String = "",
        details: String = ""
    ) {
        (self.name, self.value, self.standard) = (name, value, standard)
        (self.sentence, self.details) = (sentence, details)
    }

    /// The words that the value can be; empty unless it is one of a few.
    public var choices: [String] {
        let words = value?.split(separator: "|").map(String.init) ?? []
        return words.allSatisfy { $0.allSatisfy { $0.isLowercase } } ? words : []
    }
}
