package import RPC

/// A gap in a watch of all sessions: an owner no longer remembers the missed changes of a shard, and reports the present state of
/// the shard's sessions.
package struct OwnerGap {
    /// The present state of the shard's sessions.
    let page: RelayedPage
    /// The position of the shard; nil if the owner is a node of an earlier version, which does not name the shard.
    let positions: ClusterCursor?
    /// The gap for the client. Its cursor has the positions of all shards.
    let notification: EncodedNotification

    /// Reads a gap. If the owner is a shard of this node, `shard` is its number, else nil. `seen` has the positions up to which
    /// the client has the changes of each shard, and this initializer moves it to the gap's position.
    package init(
        _ gap: EncodedNotification, of shard: Int?, movingPast seen: inout ClusterCursor
    ) {
        page = RelayedPage(Array(gap.params))
        positions = page.positions(of: shard)
        guard let positions else {
            notification = gap
            return
        }
        let since = seen.pos
        // After a loss of rows, the position of the shard is lower than before.
        seen.positions.merge(positions.positions) { $1 }
        var pages = MergedPages(
            limit: page.sessions.count, shardCount: 0, missingShardCount: 0, from: seen)
        pages.add(page, at: positions)
        notification = pages.gap(since: since)
    }
}
