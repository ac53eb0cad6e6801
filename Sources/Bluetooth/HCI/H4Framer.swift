/// Finds the packets in a stream of H4: bytes go in as they come, and packets come out whole.
///
/// A stream has no marks by which to find back into it. Where a byte stands for no type, what has come in with it
/// is dropped: a controller writes a packet at once, so that the next bytes to come begin one.
public struct H4Framer {
    private var buffer: [UInt8] = []
    private var start = 0
    /// How often something was dropped since the beginning.
    public private(set) var losses = 0

    public init() {}

    /// Takes in what has come.
    public mutating func append(_ bytes: some Sequence<UInt8>) {
        if start > 0 {
            buffer.removeSubrange(..<start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next packet; nil when there is none that is whole.
    public mutating func next() -> HCIPacket? {
        guard start < buffer.count else { return nil }
        guard let kind = HCIPacket.Kind(rawValue: buffer[start]) else {
            losses += 1
            forget()
            return nil
        }
        let body = start + 1 + kind.headerLength
        guard buffer.count >= body else { return nil }
        let end = body + kind.payloadLength(buffer[start + 1..<body])
        guard buffer.count >= end else { return nil }
        defer { start = end }
        return HCIPacket(kind, Array(buffer[start..<end]))
    }

    /// How many bytes wait for the rest of their packet: at most one packet, of 65 540 bytes.
    public var waiting: Int { buffer.count - start }

    /// Drops what waits.
    public mutating func forget() { (buffer, start) = ([], 0) }
}
