internal import JSONCoding
internal import Sessions

/// A cache of decoded steps. Many rows of many sessions have the same event, source, and states,
/// and share one step in memory.
struct StepCache {
    /// Each step is at the index of its hash, until another step with the same index replaces it.
    private var entries: [CachedStep?] = []
    private static let size = 256
    /// The maximum length in bytes of a cached step. Longer steps contain data, and are rarely repeated.
    private static let longest = 256

    final class CachedStep: Sendable {
        let bytes: [UInt8]
        /// The strings that precede the step in the row's body; the step may refer to them.
        let before: [String]
        /// The strings that the step adds.
        let added: [String]
        let step: RecordedStep

        init(
            _ step: RecordedStep, _ bytes: UnsafeBufferPointer<UInt8>, after before: [String],
            adding added: [String]
        ) {
            (self.step, self.bytes, self.before, self.added) = (step, Array(bytes), before, added)
        }
    }

    /// The step with these bytes in a body whose preceding strings are `texts`; nil if the cache does not have it.
    func find(_ bytes: UnsafeBufferPointer<UInt8>, after texts: ArraySlice<String>) -> CachedStep? {
        guard !entries.isEmpty, bytes.count <= Self.longest,
            let entry = entries[Self.index(of: bytes)],
            entry.bytes.withUnsafeBufferPointer({ $0.hasSameBytes(bytes) }),
            Self.areSame(entry.before, texts)
        else { return nil }
        return entry
    }

    /// Whether two lists of strings have the same bytes. Strings that are equal in Swift may have
    /// different bytes.
    private static func areSame(_ a: [String], _ b: ArraySlice<String>) -> Bool {
        guard a.count == b.count else { return false }
        return zip(a, b).allSatisfy { a, b in
            a.utf8.withContiguousStorageIfAvailable { b.hasBytes($0) } ?? false
        }
    }

    mutating func remember(
        _ step: RecordedStep, _ bytes: UnsafeBufferPointer<UInt8>, after before: [String],
        adding added: [String]
    ) {
        guard bytes.count <= Self.longest else { return }
        if entries.isEmpty { entries = Array(repeating: nil, count: Self.size) }
        entries[Self.index(of: bytes)] = CachedStep(
            step, bytes, after: before, adding: added)
    }

    private static func index(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        Int(truncatingIfNeeded: bytes.quickHash % UInt64(size))
    }
}
