internal import Glibc

/// Splits received bytes into lines.
public struct LineBuffer {
    /// The maximum length of a client's line in bytes, without the newline.
    public static let limit = 65_536
    /// The maximum length of a line of this buffer.
    public var limit: Int

    /// The line at the front of the buffer.
    public enum Line {
        case line(ArraySlice<UInt8>)
        /// A line that exceeds the limit: its first 64 bytes after the leading blanks. The other bytes of the line are
        /// dropped.
        case tooLong(ArraySlice<UInt8>)
    }

    private var bytes: [UInt8] = []
    /// The index of the first byte that was not returned as part of a line.
    private var head = 0
    /// No newline is between `head` and this index.
    private var searched = 0
    /// Whether the remaining bytes of a line that is too long are being dropped.
    private var isDraining = false

    public init(limit: Int = LineBuffer.limit) { self.limit = limit }

    /// The bytes that follow the line that was returned most recently. After `next` has returned nil, they are the beginning of
    /// a line.
    public var remainder: ArraySlice<UInt8> { isDraining ? [] : bytes[head...] }
    public var hasRemainder: Bool { isDraining || head < bytes.count }
    /// Whether a newline, or a line that is too long, has been received. A line within the limit may have one byte more, the
    /// carriage return.
    public var hasLine: Bool { newlineIndex() != nil || bytes.count - head > limit + 1 }

    /// Appends received bytes.
    public mutating func append(_ more: UnsafeRawBufferPointer) {
        if head > 0, head == bytes.count || head > limit { compact() }
        bytes.append(contentsOf: more)
    }

    private mutating func compact() {
        bytes.removeFirst(head)
        searched -= head
        head = 0
        if bytes.isEmpty, bytes.capacity > 16_384 { bytes = [] }
    }

    /// Removes and returns the next line, without its newline and a preceding carriage return. Nil if no complete line has
    /// arrived.
    public mutating func next() -> Line? {
        while true {
            guard let end = newlineIndex() else {
                searched = bytes.count
                if head == bytes.count, head > 0 { compact() }
                return takeOverlongLine()
            }
            let start = head
            (head, searched) = (end + 1, end + 1)
            if isDraining {
                isDraining = false
                continue
            }
            let hasReturn = end > start && bytes[end - 1] == UInt8(ascii: "\r")
            let slice = bytes[start..<(hasReturn ? end - 1 : end)]
            return slice.count > limit ? .tooLong(Self.beginning(of: slice)) : .line(slice)
        }
    }

    /// Returns an incomplete line that exceeds the limit, once; its remaining bytes are dropped as
    /// they arrive.
    private mutating func takeOverlongLine() -> Line? {
        guard isDraining || bytes.count - head > limit + 1 else { return nil }
        let beginning = Array(Self.beginning(of: bytes[head...]))
        bytes.removeAll(keepingCapacity: true)
        (head, searched) = (0, 0)
        defer { isDraining = true }
        return isDraining ? nil : .tooLong(beginning[...])
    }

    private static func beginning(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line.drop { $0 == 0x20 || $0 == 0x09 }.prefix(64)
    }

    /// The index of the first newline. Uses memchr(3).
    private func newlineIndex() -> Int? {
        let from = max(head, searched)
        return bytes.withUnsafeBytes { all in
            guard from < all.count, let start = all.baseAddress,
                let found = memchr(start + from, 0x0A, all.count - from)
            else { return nil }
            return UnsafeRawPointer(found) - start
        }
    }
}
