/// A position in a flow file, counted from 1. Columns count Unicode scalars.
public struct FilePosition: Hashable, Sendable, Comparable {
    public let line: Int
    public let column: Int

    public init(line: Int, column: Int) { (self.line, self.column) = (line, column) }

    /// The first character of a file: the position of findings about the file as a whole.
    public static let start = FilePosition(line: 1, column: 1)

    public static func < (a: FilePosition, b: FilePosition) -> Bool {
        (a.line, a.column) < (b.line, b.column)
    }

    /// The position of the byte with this offset in a text.
    init(ofByte offset: Int, in bytes: some BidirectionalCollection<UInt8>) {
        let before = bytes.prefix(offset)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map(before.index(after:))
        // The bytes that continue a character have the form 10xxxxxx.
        let column = before[(lineStart ?? before.startIndex)...].count { $0 & 0xC0 != 0x80 } + 1
        self.init(line: before.count { $0 == UInt8(ascii: "\n") } + 1, column: column)
    }

    /// The position `count` columns to the right.
    func advanced(by count: Int) -> FilePosition {
        FilePosition(line: line, column: column + count)
    }
}

/// A mistake in a flow file: its position, and a sentence that describes it.
public struct FileFinding: Hashable, Sendable {
    public let file: String
    public let position: FilePosition
    public let sentence: String
}

extension FileFinding: CustomStringConvertible {
    /// `FILE:LINE:COLUMN: sentence`, which editors and terminals show as a link.
    public var description: String {
        "\(file):\(position.line):\(position.column): \(sentence)"
    }
}

/// The error for a flow file that cannot be used: all its mistakes, and its possible mistakes, each in the order of their positions.
public struct FlowFileError: Error, Equatable {
    public let findings: [FileFinding]
    public let warnings: [FileFinding]

    public init(findings: [FileFinding], warnings: [FileFinding] = []) {
        (self.findings, self.warnings) = (findings, warnings)
    }
}
