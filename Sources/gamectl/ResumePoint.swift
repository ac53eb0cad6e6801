import GameFlow

/// Where to go on after the connection was lost.
struct ResumePoint {
    private let isAll: Bool
    /// The number of the last change that was seen: of its session, or of the daemon when all are watched.
    private(set) var since: Int?
    private var instance: String?

    init(isAll: Bool, since: Int?) { (self.isAll, self.since) = (isAll, since) }

    /// Says whether this is another daemon than the last one; its numbers then begin anew.
    mutating func meets(_ instance: String) -> Bool {
        defer { self.instance = instance }
        guard let last = self.instance, last != instance else { return false }
        since = nil
        return true
    }

    /// What there was when the watch began. Of all sessions nobody tells a number before a change comes.
    mutating func begin(with sessions: [Value]) throws(Failure) {
        if !isAll, since == nil { since = try sessions.first?.number("seq") }
    }

    mutating func take(_ notice: Message.Notice) throws(Failure) {
        // A heartbeat tells where all sessions stand, before any change has come.
        let tells = isAll ? ["change", "gap", "heartbeat"] : ["change", "gap"]
        guard tells.contains(notice.method) else { return }
        since = try notice.params.number(isAll ? "pos" : "seq")
    }
}
