import Support

/// A mistake in a configuration, and its location; line 0 means the file itself.
package struct ConfigurationError: DescribedError, Equatable {
    package let path: String
    package let line: Int
    /// The column in bytes, from 1.
    package let column: Int
    package let why: String

    package init(path: String, line: Int, column: Int, why: String) {
        (self.path, self.line, self.column, self.why) = (path, line, column, why)
    }

    package var sentence: String {
        line == 0 ? "\(path): \(why)" : "\(path):\(line):\(column): \(why)"
    }
}
