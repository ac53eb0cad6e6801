/// Texts that were read before, to be had again without another allocation: the names of states, events and effects
/// are the same in a million rows.
struct NameCache {
    /// Each text stands at the place of its hash, until another one takes its place.
    private var texts: [String] = []
    private static let size = 256
    /// Shorter texts need no allocation.
    private static let shortest = 16
    /// Longer ones are data rather than names.
    private static let longest = 64

    /// The text of these bytes; nil if they are no UTF-8.
    mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard bytes.allSatisfy({ $0 < 0x80 }) else {
            return String(validating: bytes, as: UTF8.self)
        }
        guard Self.shortest...Self.longest ~= bytes.count else {
            return String(decoding: bytes, as: UTF8.self)
        }
        if texts.isEmpty { texts = Array(repeating: "", count: Self.size) }
        let place = Int(truncatingIfNeeded: bytes.quickHash % UInt64(Self.size))
        if texts[place].hasBytes(bytes) { return texts[place] }
        let text = String(decoding: bytes, as: UTF8.self)
        texts[place] = text
        return text
    }
}

extension String {
    /// Whether it has just these bytes.
    func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard utf8.count == bytes.count else { return false }
        return utf8.withContiguousStorageIfAvailable { bytes.hasSameBytes($0) } ?? false
    }
}
