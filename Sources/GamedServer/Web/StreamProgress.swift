import RPC

/// Up to which change of each shard a stream of all sessions was sent, with a database.
final class StreamProgress {
    private var cursor = ClusterCursor()
    private let shards: Int
    private var isResumed = false

    /// `shards` is the number of shards.
    init(_ shards: Int) { self.shards = shards }

    /// The stream continues after a cursor: a snapshot of the present is not part of what was missed.
    func begin(after cursor: ClusterCursor) { (self.cursor, isResumed) = (cursor, true) }

    /// Where the stream is after a notification, which is the next one that is sent. Nil if a client that has received it does not
    /// have everything up to there, or is where it was.
    func cursor(after notification: EncodedNotification) -> ClusterCursor? {
        switch notification.method {
        case "snapshot":
            if isResumed { return nil }
            take(all: notification)
        case "change", "gap":
            let change = RoutedPage.change(notification)
            guard let session = change.session else {
                take(all: notification)
                break
            }
            cursor.advance(ShardMap.shard(of: session, shards: shards), to: change.pos)
        default: return nil
        }
        return cursor
    }

    /// The notification has the present state of all sessions.
    private func take(all notification: EncodedNotification) {
        let text = RoutedPage(Array(notification.params)).cursor
        if let present = text.flatMap({ ClusterCursor($0) }) { cursor.advance(to: present) }
    }
}
