import GameFlow
import Journal
import Support

/// What a round over the old rows of a journal did: how many rows it removed, and how many old rows stay because something still
/// needs them. Neither a backup nor an output that waits needs rows.
struct PruneReport: Equatable {
    /// Whether the removal was held until this request, because the clock may be wrong.
    var wasHeld = false
    var removed = 0
    /// The old rows of open sessions that a restart reads, and the rows of sessions whose closing is not durable yet.
    var ofOpenSessions = 0
    var ofQuarantinedSessions = 0
    /// The rows of the daemon itself that are always kept: its starts, the corrections of its clock, and the texts of flow files.
    var ofDaemon = 0

    /// The sum of two reports, about two shards.
    static func + (one: PruneReport, other: PruneReport) -> PruneReport {
        PruneReport(
            wasHeld: one.wasHeld || other.wasHeld, removed: one.removed + other.removed,
            ofOpenSessions: one.ofOpenSessions + other.ofOpenSessions,
            ofQuarantinedSessions: one.ofQuarantinedSessions + other.ofQuarantinedSessions,
            ofDaemon: one.ofDaemon + other.ofDaemon)
    }

    /// The members of the reply. `keep` is how long rows that are no longer needed are kept, as text.
    func members(keep: String) -> [Member] {
        [
            Member("wasHeld", .bool(wasHeld)), Member("keep", keep), Member("removed", removed),
            Member(
                "needed",
                .object([
                    Member("open", ofOpenSessions), Member("quarantined", ofQuarantinedSessions),
                    Member("daemon", ofDaemon),
                ])),
        ]
    }
}
