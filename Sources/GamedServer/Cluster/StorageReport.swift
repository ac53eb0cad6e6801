import Shell

/// Logs the state of the storage once for all shards of a node, which mostly fail and recover together.
final class StorageReport {
    private var works = true
    /// The sentences that were logged since the storage failed, or since it works again.
    private var sentences: Set<String> = []

    /// Logs a sentence of a shard unless another one has reported the same.
    func write(_ works: Bool, _ sentence: String) {
        guard isNew(works, sentence) else { return }
        Log.write(works ? .warning : .error, sentence)
    }

    /// Whether no shard has reported this sentence since the storage failed, or since it works again.
    func isNew(_ works: Bool, _ sentence: String) -> Bool {
        if works != self.works { (self.works, sentences) = (works, []) }
        return sentences.insert(sentence).inserted
    }
}
