internal import Glibc

/// Splits received bytes into lines. Each connection on which lines arrive has one.
public struct LineBuffer {
    /// The maximum length of a client's line in bytes, without the newline.
    public static let limit = 65_536
    /// The maximum length of a line of this buffer in bytes, without the newline.
    public var limit: Int

    /// A line that was taken from the front of the buffer.
    public enum Line {
        case line(ArraySlice<UInt8>)
        /// A line that exceeds the limit: its first 64 bytes after the leading blanks. The other bytes of the line are
        /// dropped.
        case tooLong(ArraySlice<UInt8>)
    }

    /// The received bytes. Those before `head` were returned already, and are removed later.
    private var bytes: [UInt8] = []
    /// The index of the first byte that was not returned as part of a line.
    private var head = 0
    /// The index where the search for the next newline continues: there is no newline between `head` and it.
    private var searchStart = 0
    /// Whether the remaining bytes of a line that is too long are being dropped.
    private var isDraining = false

    public init(limit: Int = LineBuffer.limit) { self.limit = limit }

    /// The bytes that follow the line that was returned most recently. After `next` has returned nil, they are the beginning of
    /// a line.
    public var remainder: ArraySlice<UInt8> { isDraining ? [] : bytes[head...] }
    /// Whether the last line is incomplete, or its remaining bytes are being dropped. Valid after `next` has returned nil.
    public var hasRemainder: Bool { isDraining || head < bytes.count }
    /// Whether `next` has a line to return: a complete line, or the beginning of a line that is too long. A line within the
    /// limit may be followed by a carriage return, which does not count.
    public var hasLine: Bool { newlineIndex() != nil || bytes.count - head > limit + 1 }

    /// Whether no byte waits: neither a line nor a part of one.
    public var isEmpty: Bool { !isDraining && head == bytes.count }

    /// Appends received bytes.
    public mutating func append(_ received: UnsafeRawBufferPointer) {
        if head > 0, head == bytes.count || head > limit { compact() }
        bytes.append(contentsOf: received)
    }

    /// The capacity in bytes that an empty buffer may keep, so that an idle connection uses little memory.
    private static let idleCapacity = 16_384

    /// Removes the bytes that were returned already.
    private mutating func compact() {
        bytes.removeFirst(head)
        searchStart -= head
        head = 0
        if bytes.isEmpty, bytes.capacity > Self.idleCapacity { bytes = [] }
    }

    /// Removes and returns the next line, without its newline and a preceding carriage return. Nil if no complete line has
    /// arrived.
    public mutating func next() -> Line? {
        while true {
            guard let end = newlineIndex() else {
                searchStart = bytes.count
                if head == bytes.count, head > 0 { compact() }
                return takeOverlongLine()
            }
            let start = head
            (head, searchStart) = (end + 1, end + 1)
            if isDraining {
                isDraining = false
                continue
            }
            let hasCarriageReturn = end > start && bytes[end - 1] == UInt8(ascii: "\r")
            let slice = bytes[start..<(hasCarriageReturn ? end - 1 : end)]
            return slice.count > limit ? .tooLong(Self.beginning(of: slice)) : .line(slice)
        }
    }

    /// Returns an incomplete line that exceeds the limit, once; its remaining bytes are dropped as
    /// they arrive.
    private mutating func takeOverlongLine() -> Line? {
        guard isDraining || bytes.count - head > limit + 1 else { return nil }
        let beginning = Array(Self.beginning(of: bytes[head...]))
        bytes.removeAll(keepingCapacity: true)
        (head, searchStart) = (0, 0)
        defer { isDraining = true }
        return isDraining ? nil : .tooLong(beginning[...])
    }

    /// The first 64 bytes of a line after the leading blanks. They show in which dialect the error must be
    /// answered.
    private static func beginning(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.prefix(64)
    }

    /// The index of the first newline that was not returned; nil if there is none. Uses memchr(3).
    private func newlineIndex() -> Int? {
        let from = max(head, searchStart)
        return bytes.withUnsafeBytes { all in
            guard from < all.count, let start = all.baseAddress,
                let found = memchr(start + from, Int32(UInt8(ascii: "\n")), all.count - from)
            else { return nil }
            return UnsafeRawPointer(found) - start
        }
    }
}
