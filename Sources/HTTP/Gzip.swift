import CZlib

/// Compresses the files of web pages for clients that accept `gzip`.
package enum Gzip {
    /// Whether a client that sent this `Accept-Encoding` header accepts gzip (RFC 9110, section 12.5.3).
    package static func isAccepted(by header: String?) -> Bool {
        // Whether the header accepts `*`, which stands for all encodings that the header does not name.
        var acceptsAny = false
        for part in (header ?? "").split(separator: ",") {
            let words = part.split(separator: ";").map { word in
                word.filter { $0 != " " && $0 != "\t" }.lowercased()
            }
            let isRefused = words.dropFirst().contains {
                ["q=0", "q=0.", "q=0.0", "q=0.00", "q=0.000"].contains($0)
            }
            switch words.first {
            case "gzip", "x-gzip": return !isRefused
            case "*": acceptsAny = !isRefused
            default: break
            }
        }
        return acceptsAny
    }

    /// The bytes, compressed in the format of RFC 1952. Equal bytes give an equal result. Nil if zlib has no memory, or if
    /// there are 4 GiB or more. Wraps `deflate`.
    package static func compress(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        var stream = z_stream()
        let version = ZLIB_VERSION
        let size = Int32(MemoryLayout<z_stream>.size)
        // 15 selects a window of 2^15 bytes, and the addition of 16 selects the format of gzip.
        let windowBits: Int32 = 15 + 16
        // The default of zlib, from 1 to 9.
        let memoryLevel: Int32 = 8
        guard
            deflateInit2_(
                &stream, Z_BEST_COMPRESSION, Z_DEFLATED, windowBits, memoryLevel,
                Z_DEFAULT_STRATEGY, version, size) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        guard let length = UInt32(exactly: bytes.count) else { return nil }
        let capacity = Int(deflateBound(&stream, UInt(bytes.count)))
        var isComplete = false
        let compressed = [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            stream.next_in = UnsafeMutablePointer(
                mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
            stream.avail_in = length
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(clamping: capacity)
            isComplete = deflate(&stream, Z_FINISH) == Z_STREAM_END
            count = capacity - Int(stream.avail_out)
        }
        return isComplete ? compressed : nil
    }
}
