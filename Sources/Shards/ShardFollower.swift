/// A part that acts on the changes of sessions, shard by shard: the outputs, the links between sessions, the publisher and the
/// search for stuck sessions. All calls are on the loop's thread.
package protocol ShardFollower: AnyObject {
    /// Called when a shard was restored from its rows, before a timer fires and before a session is opened. `rows` are large;
    /// do not retain them.
    func shardWasRestored(_ shard: Shard, _ rows: RestoredRows)
    /// Called when all sessions are decoded that were not decoded when the shard was restored.
    func sessionsWereDecoded(in shard: Shard)
    /// Called when the store has failed, and the changes that were not durable were rolled back.
    func changesWereRolledBack(in shard: Shard)
    /// Whether work for the shard is being done that the shard waits for before it is handed over.
    func isBusy(with shard: Shard) -> Bool
    /// Called when the shard ends, because another process takes it over or the daemon ends.
    func shardHasEnded(_ shard: Shard)
}

/// A part that has nothing to do then.
extension ShardFollower {
    package func sessionsWereDecoded(in shard: Shard) {}
    package func changesWereRolledBack(in shard: Shard) {}
    package func isBusy(with shard: Shard) -> Bool { false }
}
