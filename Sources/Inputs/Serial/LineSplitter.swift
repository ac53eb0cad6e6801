/// Splits bytes into lines. Empty lines are left out. A line between two bytes may end with CR and LF, which do not belong to it:
/// some readers send them before the last byte.
public struct LineSplitter {
    /// The maximum length of a line in bytes, without its line end. Longer lines are dropped and counted.
    public static let maximumBytes = 1024

    private let bounds: LineBounds
    /// Whether a line has begun; only for lines between two bytes.
    private var isInFrame = false
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

    public init(_ bounds: LineBounds = .end(.any)) { self.bounds = bounds }

    /// Adds received bytes, and returns the lines that they complete.
    public mutating func add(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for byte in bytes {
            let line: [UInt8]?
            switch bounds {
            case .end(let end): line = add(byte, endsWith: end)
            case .frame(let frame): line = add(byte, in: frame)
            }
            if let line { lines.append(line) }
        }
        return lines
    }

    /// Adds a byte, and returns the line that it ends.
    private mutating func add(_ byte: UInt8, endsWith end: LineEnd) -> [UInt8]? {
        let isAfterCR = previousByte == Self.cr
        previousByte = byte
        switch (end, byte) {
        // The CR has ended the line, and the LF belongs to the CR, even if it arrives later.
        case (.any, Self.lf) where isAfterCR: return nil
        case (.any, Self.lf), (.any, Self.cr), (.lf, Self.lf), (.cr, Self.cr):
            return completeLine()
        case (.crlf, Self.lf) where isAfterCR: return completeLine()
        default:
            append(byte)
            return nil
        }
    }

    /// As `add(_:endsWith:)`, for lines between two bytes. The first of them also begins a line if the end of the line before did
    /// not arrive.
    private mutating func add(_ byte: UInt8, in frame: LineFrame) -> [UInt8]? {
        if byte == frame.first {
            (partialLine, isTooLong, isHalf, isInFrame) = ([], false, false, true)
        } else if byte == frame.last, isInFrame {
            isInFrame = false
            return completeLine()
        } else if isInFrame {
            append(byte)
        }
        return nil
    }

    /// Drops the beginning of a line whose end will not arrive, because the device was unplugged.
    public mutating func discardPartialLine() {
        (partialLine, isTooLong, isHalf, previousByte) = ([], false, false, 0)
        isInFrame = false
    }

    /// Drops the line whose end has not arrived yet, also the part that will still arrive. Does nothing between two lines.
    public mutating func skipPartialLine() {
        if !partialLine.isEmpty || isTooLong || isInFrame { isHalf = true }
    }

    /// Adds a byte to the partial line.
    private mutating func append(_ byte: UInt8) {
        guard !isTooLong else { return }
        // Two more bytes are allowed, because they may be the CR and LF of a line that has the maximum length.
        guard partialLine.count <= Self.maximumBytes + 1 else {
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
        switch bounds {
        case .end(.lf), .end(.crlf): if line.last == Self.cr { line.removeLast() }
        case .end: break
        case .frame: while line.last == Self.cr || line.last == Self.lf { line.removeLast() }
        }
        if isHalf { return nil }
        guard !isTooLong, line.count <= Self.maximumBytes else {
            dropped += 1
            return nil
        }
        return line.isEmpty ? nil : line
    }
}
