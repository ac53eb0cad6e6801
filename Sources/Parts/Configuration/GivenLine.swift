/// A line of the configuration as it was given: the words after its name, and where it is.
package struct GivenLine: Equatable, Sendable {
    package let words: [String]
    /// The file with the line: the configuration, or a file that it includes.
    package let path: String
    /// The number of the line in its file, from 1.
    package let number: Int

    package init(words: [String], path: String, number: Int) {
        (self.words, self.path, self.number) = (words, path, number)
    }
}

/// An option of the command line as it was given.
package struct GivenOption: Equatable, Sendable {
    package let name: String
    /// Empty for an option without a value.
    package let value: String

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }
}
