private import Glibc
import TestSupport

/// A part of a file, or a whole file, whose text is written from a table of the program. The part is between a line that
/// contains `generated: NAME` and the next line that contains `end of generated text`.
public struct GeneratedPart: Sendable, CustomStringConvertible {
    private let path: String
    private let name: String?
    /// `first` is a text in the line before the part; in a file without comments, it is in the part's first line. `last` is a
    /// text in the line after the part. Nil if the part is the whole file.
    private let marks: (first: String, last: String)?
    private let text: String

    /// A part with a name, or the whole file if `name` is nil. `path` is a path inside the repository, and `text` is what the
    /// part must contain.
    public init(_ path: String, _ name: String?, _ text: String) {
        (self.path, self.name) = (path, name)
        marks = name.map { ("generated: \($0) ", "end of generated text") }
        self.text = text.hasSuffix("\n") ? text : text + "\n"
    }

    /// A part of a file that cannot have comments, such as JSON. The part begins with the line that contains `first`. It ends
    /// before the next line that contains `last`.
    public init(_ path: String, from first: String, to last: String, _ text: String) {
        (self.path, name) = (path, first)
        marks = (first, last)
        self.text = text.hasSuffix("\n") ? text : text + "\n"
    }

    public var description: String { name.map { "\(path), \($0)" } ?? path }

    /// Returns whether the file has this text. If `GAMED_GENERATE` is set in the environment, as by `make generate`, writes the
    /// text first.
    public func checkOrGenerate() -> Bool {
        let file = "\(Self.root)/\(path)"
        let old = Self.read(file)
        guard let new = replaced(in: old ?? "") else { return false }
        if new == old { return true }
        guard getenv("GAMED_GENERATE") != nil else { return false }
        return Self.write(new, to: file)
    }

    /// Returns `old`, the text of the file, with the new text of this part; nil if the file does not contain the part.
    func replaced(in old: String) -> String? {
        guard let marks else { return text }
        var lines = old.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let first = lines.firstIndex(where: { $0.contains(marks.first) }),
            let last = lines[(first + 1)...].firstIndex(where: { $0.contains(marks.last) })
        else { return nil }
        let new = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        // In a file without comments, the line that contains `marks.first` is a line of the part.
        let isMarked = lines[first].contains("generated: ")
        lines.replaceSubrange((isMarked ? first + 1 : first)..<last, with: new.map(String.init))
        return lines.joined(separator: "\n")
    }

    private static let root = RepositoryFile.root

    private static func read(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&block, 1, block.count, file), count > 0 {
            bytes += block[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func write(_ text: String, to path: String) -> Bool {
        guard let file = fopen(path, "w") else { return false }
        defer { fclose(file) }
        let bytes = Array(text.utf8)
        return fwrite(bytes, 1, bytes.count, file) == bytes.count
    }
}
