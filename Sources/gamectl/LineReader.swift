/// Bytes as they come in, lines as they go out. A reply may be far longer than a request: a list of ten
/// thousand sessions is a line too.
struct LineReader {
    /// No answer is as long as that; whoever sends such a line would fill the memory.
    static let limit = 64 << 20

    private var bytes: [UInt8] = []
    private var head = 0
    /// Up to here no newline was found.
    private var searched = 0

    mutating func append(_ more: UnsafeRawBufferPointer) {
        if head > 0 {
            bytes.removeFirst(head)
            searched -= head
            head = 0
        }
        bytes.append(contentsOf: more)
    }

    /// Takes out the next line, without its end.
    mutating func next() throws(Failure) -> ArraySlice<UInt8>? {
        guard let end = bytes[searched...].firstIndex(of: 0x0A) else {
            searched = bytes.count
            guard bytes.count - head <= Self.limit else { throw .fault("a line has no end") }
            return nil
        }
        let line = bytes[head..<end]
        (head, searched) = (end + 1, end + 1)
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
}
