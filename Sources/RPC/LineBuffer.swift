internal import Glibc

/// Bytes as they come in, lines as they go out.
public struct LineBuffer {
    /// The longest line, without its end.
    public static let limit = 65_536

    /// What stands at the front.
    public enum Line {
        case line(ArraySlice<UInt8>)
        /// A line past the limit, of which this is the beginning, without blanks before it; the rest is
        /// dropped.
        case tooLong(ArraySlice<UInt8>)
    }

    private var bytes: [UInt8] = []
    private var head = 0
    /// Up to here no newline was found.
    private var searched = 0
    private var isDraining = false

    public init() {}

    /// What is there without its end yet.
    public var remainder: ArraySlice<UInt8> { isDraining ? [] : bytes[head...] }
    public var hasRemainder: Bool { isDraining || head < bytes.count }
    /// Whether a whole line is waiting.
    public var hasLine: Bool { newline() != nil || bytes.count - head > Self.limit + 1 }

    /// Takes in what was read.
    public mutating func append(_ more: UnsafeRawBufferPointer) {
        if head > 0, head == bytes.count || head > Self.limit { compact() }
        bytes.append(contentsOf: more)
    }

    private mutating func compact() {
        bytes.removeFirst(head)
        searched -= head
        head = 0
        if bytes.isEmpty, bytes.capacity > 16_384 { bytes = [] }
    }

    /// Takes out the next line, without its newline and a carriage return before that.
    public mutating func next() -> Line? {
        while true {
            guard let end = newline() else {
                searched = bytes.count
                if head == bytes.count, head > 0 { compact() }
                return overlong()
            }
            let line = head
            (head, searched) = (end + 1, end + 1)
            if isDraining {
                isDraining = false
                continue
            }
            let hasReturn = end > line && bytes[end - 1] == UInt8(ascii: "\r")
            let slice = bytes[line..<(hasReturn ? end - 1 : end)]
            return slice.count > Self.limit ? .tooLong(Self.beginning(of: slice)) : .line(slice)
        }
    }

    /// A line that has no end yet and is past the limit already: said once, then dropped as it comes.
    private mutating func overlong() -> Line? {
        guard isDraining || bytes.count - head > Self.limit + 1 else { return nil }
        let beginning = Array(Self.beginning(of: bytes[head...]))
        bytes.removeAll(keepingCapacity: true)
        (head, searched) = (0, 0)
        defer { isDraining = true }
        return isDraining ? nil : .tooLong(beginning[...])
    }

    private static func beginning(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line.drop { $0 == 0x20 || $0 == 0x09 }.prefix(64)
    }

    /// Where the first newline stands. Wraps memchr(3).
    private func newline() -> Int? {
        let from = max(head, searched)
        return bytes.withUnsafeBytes { all in
            guard from < all.count, let start = all.baseAddress,
                let found = memchr(start + from, 0x0A, all.count - from)
            else { return nil }
            return UnsafeRawPointer(found) - start
        }
    }
}
