extension UnsafeBufferPointer<UInt8> {
    /// A hash for caches only: it is not secure against chosen input.
    var quickHash: UInt64 {
        var (hash, place) = (UInt64(truncatingIfNeeded: count), 0)
        let raw = UnsafeRawBufferPointer(self)
        while place + 8 <= count {
            hash =
                (hash ^ raw.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
            place += 8
        }
        while place < count {
            hash = (hash ^ UInt64(self[place])) &* 0x9E37_79B9_7F4A_7C15
            place += 1
        }
        return hash ^ hash >> 29
    }
}
