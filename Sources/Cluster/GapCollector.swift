package import RPC
import Timers

/// Collects the notifications that owners send while a watch of all sessions begins at a cursor. An owner that no longer
/// remembers the missed changes sends a gap. The client gets one gap for all owners, and then the other notifications.
package final class GapCollector {
    /// The gaps for the watch of all sessions, in the order in which they arrived. Such a gap does not name a single session.
    private var gaps: [EncodedNotification] = []
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
    package var hasGap: Bool { !gaps.isEmpty }

    /// The notifications for the client. The gaps come first; `mergedGap` replaces the gaps if it is not nil. All other
    /// notifications follow. An owner sends its gap before its changes, so the order of each owner's notifications is kept.
    package func notifications(mergedGap: EncodedNotification?) -> [EncodedNotification] {
        (mergedGap.map { [$0] } ?? gaps) + heldNotifications
    }

    /// Adds a notification of an owner.
    package func add(_ notification: EncodedNotification) {
        // A gap that names a session belongs to a watch of one session, and is passed on like a change.
        if notification.method == "gap",
            RelayedPage.changePosition(of: notification).session == nil
        {
            gaps.append(notification)
        } else {
            heldNotifications.append(notification)
            heldBytes += notification.line.count
        }
    }
}
