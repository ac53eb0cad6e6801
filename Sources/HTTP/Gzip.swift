import CDeflate

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

    /// The bytes, compressed in the format of RFC 1952. Equal bytes give an equal result. Nil if there is no memory. Wraps
    /// `libdeflate_gzip_compress`.
    package static func compress(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        // The level of `gzip -9`; libdeflate has levels up to 12.
        guard let compressor = libdeflate_alloc_compressor(9) else { return nil }
        defer { libdeflate_free_compressor(compressor) }
        let capacity = libdeflate_gzip_compress_bound(compressor, bytes.count)
        let compressed = [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            count = libdeflate_gzip_compress(
                compressor, bytes.baseAddress, bytes.count, output.baseAddress, capacity)
        }
        return compressed.isEmpty ? nil : compressed
    }
}
