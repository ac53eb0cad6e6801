/// The hash of a session's name, from its bytes. A request names its session by bytes; they are not converted to a text.
///
/// The hash depends on a random number of the process, so that no client can choose names that share their slots of a table. The
/// order of a table's slots is never visible. The number is the one of Swift's own hashes, so that a benchmark can fix both.
enum NameHash {
    private static let seed = UInt64(truncatingIfNeeded: 0.hashValue)
    /// An odd number with as many ones as zeros, in no order.
    private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

    static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        let bytes = UnsafeRawBufferPointer(name)
        var hash = seed ^ UInt64(bytes.count)
        var offset = 0
        while offset + 8 <= bytes.count {
            hash = mix(hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = rest << 8 | UInt64(bytes[offset])
            offset += 1
        }
        return Int(truncatingIfNeeded: mix(hash ^ rest))
    }

    /// Each bit of the result depends on many bits of the number.
    private static func mix(_ number: UInt64) -> UInt64 {
        let product = number.multipliedFullWidth(by: factor)
        return product.high ^ product.low
    }
}
