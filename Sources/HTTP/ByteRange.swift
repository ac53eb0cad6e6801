/// A part of a file that a client asks for with the header `Range` (RFC 9110, section 14.2).
package enum ByteRange: Equatable {
    /// The whole file: there is no such header, or it has a form that the server does not have to know.
    case whole
    /// These bytes.
    case part(Range<Int>)
    /// The file does not have the first of the bytes.
    case unsatisfiable

    /// Reads the value of the header for a file of `size` bytes. Several parts at once count as no header.
    package init(_ header: String?, ofSize size: Int) {
        self = header.flatMap { Self.read($0, size) } ?? .whole
    }

    private static func read(_ header: String, _ size: Int) -> ByteRange? {
        guard header.lowercased().hasPrefix("bytes=") else { return nil }
        let words = header.dropFirst("bytes=".count)
            .split(separator: "-", omittingEmptySubsequences: false)
        guard words.count == 2 else { return nil }
        if words[0].isEmpty {
            // The last bytes of the file.
            guard let count = number(words[1]) else { return nil }
            return count == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - count)..<size)
        }
        guard let first = number(words[0]) else { return nil }
        if words[1].isEmpty { return first < size ? .part(first..<size) : .unsatisfiable }
        guard let last = number(words[1]), first <= last else { return nil }
        return first < size ? .part(first..<(min(last, size - 1) + 1)) : .unsatisfiable
    }

    /// A number of decimal digits; nil if the text has another form.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        // A larger number is beyond each file.
        return Int(text) ?? .max
    }
}
