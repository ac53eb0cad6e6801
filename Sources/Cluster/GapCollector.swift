package import RPC
import Timers

/// Collects the notifications that owners send while a watch of all sessions begins at a cursor. An owner that no longer
/// remembers the missed changes sends a gap. The client gets one gap for all owners, and then the other notifications.
package final class GapCollector {
    /// The gaps for the watch of all sessions, in the order in which they arrived.
    private var gaps: [OwnerGap] = []
    /// All other notifications, in the order in which they arrived.
    private var heldNotifications: [EncodedNotification] = []
    private var heldBytes = 0
    /// Ends the collection when it fires.
    var endTimer = Alarm()

    package init() {}

    /// How long the collection continues after all owners have replied. An owner that sends a gap sends it directly after its
    /// reply.
    static let gapPatience = Duration.milliseconds(100)
    /// The size of the held notifications, in bytes, above which the collection ends early. The gaps are then passed on one by
    /// one.
    package static let byteLimit = 1 << 20

    package var isFull: Bool { heldBytes > Self.byteLimit }

    /// The notifications for the client. The gaps come first. If `pages` is not nil, they become one gap with the sessions of
    /// these pages; `since` is then the `pos` of the cursor at which the watch began. All other notifications follow. An owner
    /// sends its gap before its changes, so the order of each owner's notifications is kept.
    package func notifications(
        mergingGapsInto pages: MergedPages?, since: Int
    ) -> [EncodedNotification] {
        guard var pages, !gaps.isEmpty else {
            return gaps.map(\.notification) + heldNotifications
        }
        // The pages lack the sessions of a shard that got an owner after the watch had begun.
        for gap in gaps { pages.add(gap.page, at: gap.positions) }
        return [pages.gap(since: since)] + heldNotifications
    }

    /// Adds a gap of an owner in the watch of all sessions.
    package func add(_ gap: OwnerGap) { gaps.append(gap) }

    /// Adds another notification of an owner. A gap that names a session is such a notification: it belongs to a watch of one
    /// session.
    package func add(_ notification: EncodedNotification) {
        heldNotifications.append(notification)
        heldBytes += notification.line.count
    }
}
