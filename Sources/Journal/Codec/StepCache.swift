internal import GameFlow
internal import JSONCoding
internal import Sessions

/// A cache of decoded steps. Many rows of many sessions have the same event, source, and states,
/// and share one step in memory.
struct StepCache {
    /// Each step is at the index of its hash, until another step with the same index replaces it.
    private var entries: [CachedStep?] = []
    /// The number of places in the cache.
    private static let size = 256
    /// The maximum length in bytes of a cached step. Longer steps contain data, and are rarely repeated.
    private static let maximumLength = 256

    /// A decoded step, and the bytes from which it was decoded. In a body, a string can be a reference to an earlier string of
    /// the body. Therefore the strings before the step and the strings of the step are stored too.
    final class CachedStep: Sendable {
        /// The encoded step.
        let bytes: [UInt8]
        /// The strings before the step in the row's body. The step may refer to these strings.
        let precedingStrings: [String]
        /// The strings of the step that are not among `precedingStrings`. Later parts of the body may refer to these strings.
        let addedStrings: [String]
        let step: Step

        init(
            _ step: Step, _ bytes: UnsafeBufferPointer<UInt8>,
            after precedingStrings: [String], adding addedStrings: [String]
        ) {
            (self.step, self.bytes) = (step, Array(bytes))
            (self.precedingStrings, self.addedStrings) = (precedingStrings, addedStrings)
        }
    }

    /// The step with these bytes in a body with these preceding strings; nil if the cache does not have it.
    func find(_ bytes: UnsafeBufferPointer<UInt8>, after precedingStrings: ArraySlice<String>)
        -> CachedStep?
    {
        guard !entries.isEmpty, bytes.count <= Self.maximumLength,
            let entry = entries[Self.index(of: bytes)],
            entry.bytes.withUnsafeBufferPointer({ $0.hasSameBytes(bytes) }),
            Self.haveSameBytes(entry.precedingStrings, precedingStrings)
        else { return nil }
        return entry
    }

    /// Whether two lists of strings have the same bytes. Strings that are equal in Swift may have
    /// different bytes.
    private static func haveSameBytes(_ a: [String], _ b: ArraySlice<String>) -> Bool {
        guard a.count == b.count else { return false }
        return zip(a, b).allSatisfy { a, b in
            a.utf8.withContiguousStorageIfAvailable { b.hasBytes($0) } ?? false
        }
    }

    /// Adds a decoded step to the cache, unless its bytes are too long.
    mutating func remember(
        _ step: Step, _ bytes: UnsafeBufferPointer<UInt8>,
        after precedingStrings: [String], adding addedStrings: [String]
    ) {
        guard bytes.count <= Self.maximumLength else { return }
        if entries.isEmpty { entries = Array(repeating: nil, count: Self.size) }
        entries[Self.index(of: bytes)] = CachedStep(
            step, bytes, after: precedingStrings, adding: addedStrings)
    }

    private static func index(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        Int(truncatingIfNeeded: bytes.quickHash % UInt64(size))
    }
}
