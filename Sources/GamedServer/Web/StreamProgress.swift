import RPC

/// The position in each shard up to which a stream of all sessions was sent. It is used only with a database.
final class StreamProgress {
    private var cursor = ClusterCursor()
    private let shards: Int
    private var isResumed = false

    init(_ shards: Int) { self.shards = shards }

    /// Called when the stream continues after a cursor. Its snapshot does not move the position, because the missed changes
    /// follow.
    func begin(after cursor: ClusterCursor) { (self.cursor, isResumed) = (cursor, true) }

    /// Moves the position to that of `notification`, which is sent next, and returns the new position. Nil if the notification
    /// does not move the position, or if changes before the notification are still to be sent.
    func cursor(after notification: EncodedNotification) -> ClusterCursor? {
        switch notification.method {
        case "snapshot":
            if isResumed { return nil }
            advanceAllShards(to: notification)
        case "change", "gap":
            let change = RelayedPage.changePosition(of: notification)
            guard let session = change.session else {
                advanceAllShards(to: notification)
                break
            }
            cursor.advance(ShardMap.shard(of: session, shards: shards), to: change.pos)
        default: return nil
        }
        return cursor
    }

    /// Moves the position to that of a notification with the present state of all sessions.
    private func advanceAllShards(to notification: EncodedNotification) {
        let text = RelayedPage(Array(notification.params)).cursor
        if let newest = text.flatMap({ ClusterCursor($0) }) { cursor.advance(to: newest) }
    }
}
