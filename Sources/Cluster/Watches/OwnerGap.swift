package import RPC

/// A gap in a watch of all sessions: an owner no longer remembers the missed changes of a shard, and reports the present state of
/// the shard's sessions.
package struct OwnerGap {
    /// The present state of the shard's sessions.
    let page: RelayedPage
    /// The position of the shard; empty if the owner is a node of an earlier version, which does not name the shard.
    let positions: ClusterCursor

    /// Reads a gap. If the owner is a shard of this node, `shard` is its number, else nil.
    package init(_ gap: EncodedNotification, of shard: Int?) {
        page = RelayedPage(Array(gap.params))
        positions = page.positions(of: shard) ?? ClusterCursor()
    }

    /// The gap for the node of a relayed client. Its cursor has the position of the shard. `seen` has the positions that the client
    /// had before.
    package func notification(after seen: ClusterCursor) -> EncodedNotification {
        var pages = MergedPages(
            limit: page.sessions.count, shardCount: 0, missingShardCount: 0, from: ClusterCursor(),
            namesAllShards: true)
        pages.add(page, at: positions)
        let since = positions.positions.keys.reduce(0) { $0 &+ (seen.positions[$1] ?? 0) }
        return pages.gap(since: since)
    }
}
