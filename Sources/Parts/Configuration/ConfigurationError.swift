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

    /// The order of the lines, by file.
    package static func isOrdered(_ a: Self, before b: Self) -> Bool {
        (a.path, a.line, a.column) < (b.path, b.line, b.column)
    }

    package var sentence: String {
        line == 0 ? "\(path): \(why)" : "\(path):\(line):\(column): \(why)"
    }
}
