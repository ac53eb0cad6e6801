import Parts
import Shell

/// Logs when the storage fails or recovers. All shards of a node usually fail and recover together, so each sentence is logged
/// once, not once per shard.
package final class StorageReport {
    /// Whether the newest sentence says that the storage works.
    private var isWorking = true
    /// The sentences that were logged since `isWorking` changed last.
    private var sentences: Set<String> = []

    /// Logs a shard's sentence unless another shard has reported the same sentence.
    package func write(_ sentence: String, isWorking: Bool) {
        guard recordIfNew(sentence, isWorking: isWorking) else { return }
        Log.write(isWorking ? .warning : .error, .storage, sentence, [.reason(sentence)])
    }

    /// Records the sentence. Returns true if it was not yet reported since the storage last failed or recovered.
    package func recordIfNew(_ sentence: String, isWorking: Bool) -> Bool {
        if isWorking != self.isWorking { (self.isWorking, sentences) = (isWorking, []) }
        return sentences.insert(sentence).inserted
    }
}
