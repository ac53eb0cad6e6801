package import GameFlow
import Journal
import Support

/// What a round over the old rows of a journal did: how many rows it removed, and how many old rows stay because something still
/// needs them. Neither a backup nor an output that waits needs rows.
package struct PruneReport: Equatable {
    /// Whether the removal was held until this request, because the clock may be wrong.
    package var wasHeld = false
    package var removed = 0
    /// The old rows of open sessions that a restart reads, and the rows of sessions whose closing is not durable yet.
    package var ofOpenSessions = 0
    package var ofQuarantinedSessions = 0
    /// The rows of the daemon itself that are always kept: its starts, the corrections of its clock, and the texts of flow files.
    package var ofDaemon = 0

    package init() {}

    /// The sum of two reports, about two shards.
    package static func + (one: PruneReport, other: PruneReport) -> PruneReport {
        var sum = one
        sum.wasHeld = one.wasHeld || other.wasHeld
        sum.removed += other.removed
        sum.ofOpenSessions += other.ofOpenSessions
        sum.ofQuarantinedSessions += other.ofQuarantinedSessions
        sum.ofDaemon += other.ofDaemon
        return sum
    }

    /// The members of the reply. `keep` is how long rows that are no longer needed are kept, as text.
    package func members(keep: String) -> [Member] {
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
