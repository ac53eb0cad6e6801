/// The rules for the name of a node.
package enum NodeName {
    /// The end of the error for an invalid name.
    package static let expected = "expected a name of 1 to 64 bytes without spaces"

    /// Whether the text is a valid name.
    package static func isName(_ text: String) -> Bool {
        // Bytes up to 0x20, the space, are spaces and control characters.
        1...64 ~= text.utf8.count && !text.utf8.contains { $0 <= UInt8(ascii: " ") }
    }
}
