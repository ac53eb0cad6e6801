/// Skips the interim replies, such as 100 (Continue) and 103 (Early Hints), that an HTTP server may send before the final reply.
/// libevent's HTTP client takes a 103 for the final reply, and after a 100 over TLS it does not read on.
struct InterimReplies {
    /// The beginning of a reply, as far as it is not certain whether the reply is an interim one, or where it ends.
    private var beginning: [UInt8] = []
    /// Whether the final reply has begun. Later bytes belong to it.
    private(set) var areOver = false

    /// The number of bytes up to the end of the status: `HTTP/1.1 200`.
    private static let statusEnd = 12

    /// Returns what the next bytes of the server contain of the final reply; nothing if it has not begun. Call it until `areOver` is
    /// true. An interim reply that is longer than the header of a reply may be counts as the final one.
    mutating func skip(in bytes: [UInt8]) -> [UInt8] {
        beginning += bytes
        while !areOver {
            guard beginning.count >= Self.statusEnd else { return [] }
            guard isInterim else {
                areOver = true
                break
            }
            if let headerEnd {
                beginning.removeFirst(headerEnd)
            } else if beginning.count <= OutgoingRequest.headerBytes {
                return []
            } else {
                areOver = true
            }
        }
        return exchange(&beginning, with: [])
    }

    /// Whether the status is one of an interim reply. 101 (Switching Protocols) is final.
    private var isInterim: Bool {
        let status = String(decoding: beginning[..<Self.statusEnd], as: UTF8.self)
        return status.hasPrefix("HTTP/1.") && status.dropFirst(8).hasPrefix(" 1")
            && !status.hasSuffix("101")
    }

    /// The number of bytes up to the end of the first empty line; nil if it has not arrived.
    private var headerEnd: Int? {
        var lineStart = 0
        for (index, byte) in beginning.enumerated() where byte == UInt8(ascii: "\n") {
            let line = beginning[lineStart..<index]
            if line.isEmpty || line.elementsEqual([UInt8(ascii: "\r")]) { return index + 1 }
            lineStart = index + 1
        }
        return nil
    }
}
