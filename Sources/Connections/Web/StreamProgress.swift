package import Cluster
package import RPC

/// The position in each shard up to which a `WebStream` of all sessions was sent. Used only if several nodes share a database:
/// then each shard counts its changes separately. The id of each event contains these positions as a `ClusterCursor`. With such
/// an id, a browser that reconnects can continue after these positions.
package final class StreamProgress {
    private var cursor: ClusterCursor
    /// The number of shards.
    private let shards: Int
    /// Whether the stream continues after a cursor. The snapshot at the beginning of such a stream does not move the position,
    /// because the missed changes are sent after it.
    private let isResumed: Bool

    package init(_ shards: Int, _ start: StreamStart) {
        self.shards = shards
        if case .afterAll(let cursor) = start {
            (self.cursor, isResumed) = (cursor, true)
        } else {
            (cursor, isResumed) = (ClusterCursor(), false)
        }
    }

    /// Moves the position to the position of `notification`, which is sent next. Returns the new position. Nil if the
    /// notification does not move the position, or if changes before the notification are still to be sent.
    package func cursor(after notification: EncodedNotification) -> ClusterCursor? {
        switch notification.method {
        case "snapshot":
            if isResumed { return nil }
            advanceAllShards(to: notification)
        case "change", "gap":
            let change = RelayedPage.changePosition(of: notification)
            // A gap without a session has the present state of all sessions.
            guard let session = change.session else {
                advanceAllShards(to: notification)
                break
            }
            cursor.advance(ShardMap.shard(of: session, shards: shards), to: change.pos)
        default: return nil
        }
        return cursor
    }

    /// Moves the position to the position of a notification that has the present state of all sessions.
    private func advanceAllShards(to notification: EncodedNotification) {
        // `RelayedPage` parses the notification's parameters, which are JSON.
        let text = RelayedPage(Array(notification.params)).cursor
        if let newest = text.flatMap({ ClusterCursor($0) }) { cursor.advance(to: newest) }
    }
}
