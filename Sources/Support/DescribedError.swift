/// An error that explains itself to an operator. Answers to a client, such as `RequestError`, and errors that callers
/// handle without showing them are plain errors.
public protocol DescribedError: Error, CustomStringConvertible {
    /// The reason alone, as a reply or a log line repeats it after the name of what failed.
    var why: String { get }
    /// One complete sentence: where the error is, the reason, and what to do if that is known. By default the reason.
    var sentence: String { get }
}

extension DescribedError {
    public var sentence: String { why }
    public var description: String { sentence }
    /// The lines of the sentence: an error of several mistakes has one for each.
    public var lines: [String] { sentence.split(separator: "\n").map(String.init) }
}
