/// Splits bytes into lines that end with LF. A CR before the LF is dropped.
public struct LineSplitter {
    /// The maximum length of a line in bytes, without its end. Longer lines are dropped and counted.
    public static let longest = 1024

    private var line: [UInt8] = []
    private var isTooLong = false
    /// The number of lines that were too long.
    public private(set) var dropped = 0

    public init() {}

    /// Adds received bytes, and returns the lines that they complete.
    public mutating func add(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var rest = bytes
        while let end = rest.firstIndex(of: 0x0A) {
            append(rest[..<end])
            rest = rest[(end + 1)...]
            let complete = exchange(&line, with: [])
            let isWhole = !exchange(&isTooLong, with: false)
            let text = complete.last == 0x0D ? complete.dropLast() : complete
            if isWhole, text.count <= Self.longest {
                lines.append(text)
            } else {
                dropped += 1
            }
        }
        append(rest)
        return lines
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        guard !isTooLong else { return }
        // One more byte is stored for the CR.
        guard line.count + bytes.count <= Self.longest + 1 else {
            isTooLong = true
            line = []
            return
        }
        line += bytes
    }
}
