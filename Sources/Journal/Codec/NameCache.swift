internal import JSONCoding

/// A cache of decoded strings, which saves their allocation: a million rows contain the same names
/// of states, events and effects.
struct NameCache {
    /// Each string is at the index of its hash, until another string with the same index replaces it.
    private var texts: [String] = []
    /// The number of places in the cache.
    private static let size = 256
    /// The minimum length in bytes of a cached string. Swift stores shorter strings without an allocation.
    private static let minimumLength = 16
    /// The maximum length in bytes of a cached string. Longer strings are data rather than names.
    private static let maximumLength = 64

    /// The string with these bytes; nil if they are not UTF-8. Only ASCII strings are cached.
    mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard bytes.allSatisfy({ $0 < 0x80 }) else {
            return String(validating: bytes, as: UTF8.self)
        }
        guard Self.minimumLength...Self.maximumLength ~= bytes.count else {
            return String(decoding: bytes, as: UTF8.self)
        }
        if texts.isEmpty { texts = Array(repeating: "", count: Self.size) }
        let index = Int(truncatingIfNeeded: bytes.quickHash % UInt64(Self.size))
        if texts[index].hasBytes(bytes) { return texts[index] }
        let text = String(decoding: bytes, as: UTF8.self)
        texts[index] = text
        return text
    }
}

extension String {
    /// Whether the string has exactly these bytes.
    func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard utf8.count == bytes.count else { return false }
        return utf8.withContiguousStorageIfAvailable { bytes.hasSameBytes($0) } ?? false
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// A hash for caches only: it is not secure against chosen input. The factor is 2^64 divided by the golden ratio.
    var quickHash: UInt64 {
        var (hash, offset) = (UInt64(truncatingIfNeeded: count), 0)
        let raw = UnsafeRawBufferPointer(self)
        while offset + 8 <= count {
            hash =
                (hash ^ raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
            offset += 8
        }
        while offset < count {
            hash = (hash ^ UInt64(self[offset])) &* 0x9E37_79B9_7F4A_7C15
            offset += 1
        }
        return hash ^ hash >> 29
    }
}
