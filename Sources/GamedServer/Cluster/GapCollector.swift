import RPC
import Timers

/// Collects the notifications that owners send while a watch of all sessions begins at a cursor. Each owner that no longer
/// remembers the missed changes sends a gap; the client gets one gap for all owners, and the other notifications after it.
struct GapCollector {
    /// Whether an owner has sent a gap of all sessions.
    private(set) var hasGap = false
    /// All notifications other than gaps of all sessions, in the order in which they arrived.
    private(set) var heldNotifications: [EncodedNotification] = []
    private var heldBytes = 0
    /// Ends the collection when it fires.
    var endTimer: ScopedCountdown?

    /// How long the collection continues after all owners have replied. An owner's gap, if any, follows its reply directly.
    static let gapPatience = Duration.milliseconds(100)
    /// The size of the held notifications, in bytes, above which the collection ends early. Further gaps are then passed on one
    /// by one.
    private static let byteLimit = 1 << 20

    var isFull: Bool { heldBytes > Self.byteLimit }

    /// Adds a notification of an owner.
    mutating func add(_ notification: EncodedNotification) {
        // Only a gap of all sessions names no session.
        if notification.method == "gap",
            RelayedPage.changePosition(of: notification).session == nil
        {
            hasGap = true
        } else {
            heldNotifications.append(notification)
            heldBytes += notification.line.count
        }
    }
}
