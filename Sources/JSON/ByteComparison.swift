internal import Glibc

extension UnsafeBufferPointer<UInt8> {
    /// Whether both have the same bytes. Wraps `memcmp`.
    package func hasSameBytes(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count, let a = baseAddress, let b = other.baseAddress else {
            return count == other.count
        }
        return memcmp(a, b, count) == 0
    }
}
