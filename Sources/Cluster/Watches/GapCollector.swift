package import RPC
package import Timers

/// Collects the gaps that owners send in a watch of all sessions: an owner that no longer remembers the missed changes of a shard
/// reports only the present state of the shard's sessions. The client gets one gap with the present state of all sessions,
/// because a client replaces all that it knows by the sessions of a gap.
///
/// The collector also holds the other notifications that arrive while the owners are asked for their sessions.
package final class GapCollector {
    /// The `pos` after which the client lacks changes.
    let since: Int
    /// From when on the client gets the gap even if shards have no owner.
    let deadline: Instant
    /// Whether other notifications are held now.
    private(set) var isHolding = true
    /// Whether an owner has sent a gap.
    package private(set) var hasGap = false
    /// The newest gap of each shard, by the shard's number.
    private var gaps: [Int: OwnerGap] = [:]
    /// The notifications that are held, in the order in which they arrived.
    private var heldNotifications: [HeldNotification] = []
    private var heldBytes = 0
    /// Ends the collection, or asks the owners again.
    var timer = Alarm()

    private enum HeldNotification {
        case change(EncodedNotification, shard: Int, pos: Int)
        case other(EncodedNotification)

        var notification: EncodedNotification {
            switch self {
            case .change(let notification, _, _), .other(let notification): notification
            }
        }
    }

    package init(since: Int, deadline: Instant) {
        (self.since, self.deadline) = (since, deadline)
    }

    /// How long the collection continues after all owners have replied. An owner that sends a gap sends it directly after its
    /// reply.
    static let gapPatience = Duration.milliseconds(100)
    /// When the owners are asked again, if shards had no owner.
    static let retryInterval = Duration.milliseconds(500)
    /// The size of the held notifications, in bytes, above which they are passed on.
    package static let byteLimit = 1 << 20

    package var isFull: Bool { heldBytes > Self.byteLimit }

    /// Begins to hold notifications, because the owners are asked for their sessions.
    func beginHolding() { isHolding = true }

    /// Ends the holding, and returns the notifications that were held.
    package func release() -> [EncodedNotification] {
        (isHolding, heldBytes) = (false, 0)
        return exchange(&heldNotifications, with: []).map(\.notification)
    }

    /// Ends the holding, and returns the notifications that were held, without the changes up to `cursor`, which a gap shows.
    package func release(after cursor: ClusterCursor) -> [EncodedNotification] {
        heldNotifications.removeAll {
            guard case .change(_, let shard, let pos) = $0 else { return false }
            return pos <= cursor.positions[shard] ?? 0
        }
        return release()
    }

    /// The present state of all sessions for the gap: the pages of the owners, and the gaps that are newer.
    package func merged(with pages: MergedPages) -> MergedPages {
        var pages = pages
        for (shard, gap) in gaps
        where gap.positions.positions[shard] ?? 0 >= pages.cursor.positions[shard] ?? 0 {
            pages.add(gap.page, at: gap.positions)
        }
        return pages
    }

    /// Adds a gap of an owner in the watch of all sessions.
    package func add(_ gap: OwnerGap) {
        hasGap = true
        for shard in gap.positions.positions.keys { gaps[shard] = gap }
    }

    /// Holds another notification of an owner. `shard` is the shard of a change. A gap that names a session is such a
    /// notification: it belongs to a watch of one session.
    package func hold(_ notification: EncodedNotification, ofShard shard: Int?) {
        if let shard, let pos = notification.pos {
            heldNotifications.append(.change(notification, shard: shard, pos: pos))
        } else {
            heldNotifications.append(.other(notification))
        }
        heldBytes += notification.line.count
    }
}
