import Sessions
package import Shards
import Timers

/// Sends the outputs of each shard of this process.
extension RoomOutputs: ShardFollower {
    package func shardWasRestored(_ shard: Shard, _ rows: RestoredRows) {
        let number = shard.number
        add(OutputJournal(shard.sessions, number: number) { [unowned shard] in shard.mayServe })
        guard shard.hasJournal else { return }
        // Also the outputs that an earlier run, or an earlier owner, did not send.
        recover(
            OutputRecovery(
                rows.store, shard.sessions, rows.read.times,
                upTo: rows.read.content.newest.position,
                lastAlive: rows.read.lastAlive ?? .zero, isRealTime: !shard.sessions.isVirtual,
                retriesFailedReads: retriesFailedReads, on: loop, lineStartTime: lineStartTime),
            in: number)
    }

    package func changesWereRolledBack(in shard: Shard) { dropRolledBackChanges(shard.number) }
    package func isBusy(with shard: Shard) -> Bool { isBusy(with: shard.number) }
    package func shardHasEnded(_ shard: Shard) { remove(shard.number) }
}
