import GameFlow
import RPC

/// The change after which a watch continues on a new connection, when the earlier connection was lost.
struct ResumePoint {
    /// Whether all sessions are watched.
    private let isAll: Bool
    /// The number of the most recent change received: `seq` for one session, `pos` for all.
    private(set) var since: Int?
    /// The instance of the daemon's data on the latest connection; nil before the first connection.
    private var instance: String?

    init(isAll: Bool, since: Int?) { (self.isAll, self.since) = (isAll, since) }

    /// Stores the instance of the daemon's data. Returns whether it differs from the instance of the previous connection. In a
    /// new instance, changes are counted from 1 again, so `since` is cleared.
    mutating func updateInstance(_ instance: String) -> Bool {
        defer { self.instance = instance }
        guard let previous = self.instance, previous != instance else { return false }
        since = nil
        return true
    }

    /// Sets `since` to the `seq` of the watched session, from the sessions in the result of `watch`. Does nothing if `since` is
    /// known already. Also does nothing if all sessions are watched: then `since` is a `pos`, which the first change, gap or
    /// heartbeat sets.
    mutating func begin(with sessions: [Value]) throws(CommandError) {
        if !isAll, since == nil { since = try sessions.first?.number("seq") }
    }

    /// Sets `since` to the number in a notification, if it has one.
    mutating func receive(_ notification: Message.ServerNotification) throws(CommandError) {
        // A heartbeat has a `pos`, but no `seq`.
        let numberedMethods = isAll ? ["change", "gap", "heartbeat"] : ["change", "gap"]
        guard numberedMethods.contains(notification.method) else { return }
        since = try notification.params.number(isAll ? "pos" : "seq")
    }
}
