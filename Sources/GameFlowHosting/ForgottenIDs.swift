internal import Support

/// What a host knows of ids whose answers it no longer has: a hash of each, so that a late repetition is not carried out again.
struct ForgottenIDs {
    private var hashes: Set<Int> = []
    /// The hashes in the order in which they were added. When it is full, a new one takes the place of the oldest.
    private var ring: [Int] = []
    private var oldest = 0
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    private static func hash(_ id: ByteText, _ name: ByteText) -> Int {
        var hasher = Hasher()
        hasher.combine(name)
        hasher.combine(id)
        return hasher.finalize()
    }

    /// Adds an id of a machine whose answer is forgotten.
    mutating func add(_ id: ByteText, of name: ByteText) {
        let hash = Self.hash(id, name)
        guard hashes.insert(hash).inserted else { return }
        if ring.count < limit { return ring.append(hash) }
        hashes.remove(ring[oldest])
        ring[oldest] = hash
        oldest = (oldest + 1) % limit
    }

    /// Whether an id of a machine is forgotten. Another id with the same hash is refused although it is new; with a million hashes
    /// of 64 bits this does not happen in practice.
    func contains(_ id: ByteText, of name: ByteText) -> Bool {
        !hashes.isEmpty && hashes.contains(Self.hash(id, name))
    }
}
