/// Splits bytes into lines that end with LF. A CR before the LF is dropped.
public struct LineSplitter {
    /// The maximum length of a line in bytes, without its line end. Longer lines are dropped and counted.
    public static let maximumBytes = 1024

    /// The beginning of a line whose end has not arrived yet.
    private var partialLine: [UInt8] = []
    /// Whether the line whose end has not arrived yet is too long already; its bytes are dropped.
    private var isTooLong = false
    /// The number of lines that were too long.
    public private(set) var dropped = 0

    public init() {}

    /// Adds received bytes, and returns the lines that they complete.
    public mutating func add(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var remaining = bytes
        while let end = remaining.firstIndex(of: 0x0A) {
            append(remaining[..<end])
            remaining = remaining[(end + 1)...]
            let received = exchange(&partialLine, with: [])
            let wasTooLong = exchange(&isTooLong, with: false)
            let text = received.last == 0x0D ? received.dropLast() : received
            if !wasTooLong, text.count <= Self.maximumBytes {
                lines.append(text)
            } else {
                dropped += 1
            }
        }
        append(remaining)
        return lines
    }

    /// Drops the beginning of a line whose end will not arrive, because the device was unplugged.
    public mutating func discardPartialLine() { (partialLine, isTooLong) = ([], false) }

    /// Adds bytes to the partial line.
    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        guard !isTooLong else { return }
        // One more byte is allowed, because it may be the CR of a line that has the maximum length.
        guard partialLine.count + bytes.count <= Self.maximumBytes + 1 else {
            isTooLong = true
            partialLine = []
            return
        }
        partialLine += bytes
    }
}
