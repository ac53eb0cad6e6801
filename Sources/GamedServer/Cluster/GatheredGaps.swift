import RPC
import Timers

/// The gaps that owners send while a client begins to watch all sessions from a cursor on: one of each owner that does not remember
/// the missed changes, and notifications that must not come before the one gap that the client gets.
struct GatheredGaps {
    /// Whether an owner does not remember the missed changes.
    private(set) var hasGap = false
    private(set) var others: [EncodedNotification] = []
    private var bytes = 0
    /// Ends the gathering.
    var end: ScopedCountdown?

    /// How long after the last owner's reply its gap is waited for. It comes directly behind the reply.
    static let patience = Duration.milliseconds(100)
    /// How many bytes are kept. Beyond that the notifications are passed on, and the gaps of further owners one by one.
    private static let limit = 1 << 20

    var isFull: Bool { bytes > Self.limit }

    mutating func add(_ notification: EncodedNotification) {
        if notification.method == "gap", RoutedPage.change(notification).session == nil {
            hasGap = true
        } else {
            others.append(notification)
            bytes += notification.line.count
        }
    }
}
