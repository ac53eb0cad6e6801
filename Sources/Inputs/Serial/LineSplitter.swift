/// Splits bytes into lines. Empty lines are left out.
public struct LineSplitter {
    /// The maximum length of a line in bytes, without its line end. Longer lines are dropped and counted.
    public static let maximumBytes = 1024

    private let end: LineEnd
    /// The beginning of a line whose end has not arrived yet.
    private var partialLine: [UInt8] = []
    /// Whether the line whose end has not arrived yet is too long already; its bytes are dropped.
    private var isTooLong = false
    /// Whether the line whose end has not arrived yet is dropped, because its beginning was dropped.
    private var isHalf = false
    /// The byte before the next byte; 0 at the beginning.
    private var previousByte: UInt8 = 0
    /// The number of lines that were too long.
    public private(set) var dropped = 0

    private static let lf = UInt8(ascii: "\n")
    private static let cr = UInt8(ascii: "\r")

    public init(end: LineEnd = .any) { self.end = end }

    /// Adds received bytes, and returns the lines that they complete.
    public mutating func add(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for byte in bytes {
            let isAfterCR = previousByte == Self.cr
            previousByte = byte
            switch (end, byte) {
            // The CR has ended the line, and the LF belongs to the CR, even if it arrives later.
            case (.any, Self.lf) where isAfterCR: break
            case (.any, Self.lf), (.any, Self.cr), (.lf, Self.lf), (.cr, Self.cr):
                if let line = completeLine() { lines.append(line) }
            case (.crlf, Self.lf) where isAfterCR:
                if let line = completeLine() { lines.append(line) }
            default: append(byte)
            }
        }
        return lines
    }

    /// Drops the beginning of a line whose end will not arrive, because the device was unplugged.
    public mutating func discardPartialLine() {
        (partialLine, isTooLong, isHalf, previousByte) = ([], false, false, 0)
    }

    /// Drops the line whose end has not arrived yet, also the part that will still arrive. Does nothing between two lines.
    public mutating func skipPartialLine() {
        if !partialLine.isEmpty || isTooLong { isHalf = true }
    }

    /// Adds a byte to the partial line.
    private mutating func append(_ byte: UInt8) {
        guard !isTooLong else { return }
        // One more byte is allowed, because it may be the CR of a line that has the maximum length.
        guard partialLine.count <= Self.maximumBytes else {
            isTooLong = true
            partialLine = []
            return
        }
        partialLine.append(byte)
    }

    /// Ends the partial line. Returns the line; nil if it is empty or dropped.
    private mutating func completeLine() -> [UInt8]? {
        defer { (partialLine, isTooLong, isHalf) = ([], false, false) }
        var line = partialLine
        if end == .lf || end == .crlf, line.last == Self.cr { line.removeLast() }
        if isHalf { return nil }
        guard !isTooLong, line.count <= Self.maximumBytes else {
            dropped += 1
            return nil
        }
        return line.isEmpty ? nil : line
    }
}
