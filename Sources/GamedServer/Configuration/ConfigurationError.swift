import Support

/// A mistake in a configuration, and its location; line 0 means the file itself.
struct ConfigurationError: DescribedError, Equatable {
    let path: String
    let line: Int
    /// The column in bytes, from 1.
    let column: Int
    let why: String

    var sentence: String { line == 0 ? "\(path): \(why)" : "\(path):\(line):\(column): \(why)" }
}
