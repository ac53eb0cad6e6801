/// An error with a text for operators. Refusals for clients, such as `RequestError`, do not conform to this protocol. Errors
/// that callers handle without showing them do not conform, either.
public protocol DescribedError: Error, CustomStringConvertible {
    /// The reason alone, for a text that already names what failed.
    var why: String { get }
    /// A complete sentence: the place of the error, the reason, and a remedy if one is known. Default: the reason.
    var sentence: String { get }
}

extension DescribedError {
    public var sentence: String { why }
    public var description: String { sentence }
    /// The sentence of each mistake that the error reports. An error with several mistakes has one line for each in `sentence`.
    public var lines: [String] { sentence.split(separator: "\n").map(String.init) }
}
