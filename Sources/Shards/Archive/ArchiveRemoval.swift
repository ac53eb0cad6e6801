import EventLoop
import Journal
import Sessions
import Timers

/// Removes from an archive the old rows that the journal no longer has: at its creation, and once an hour while it exists. It
/// compares the positions of the old rows of both, in steps with pauses between them.
final class ArchiveRemoval {
    private let journal: any Store
    private let archive: any Store
    /// Its clock says which rows are old.
    private let sessions: Sessions
    /// How long old rows are kept, as in the journal.
    private let retention: Retention
    private let loop: LibeventLoop
    /// Waits for the next step or the next round.
    private var alarm = Alarm()

    private static let rowsPerStep = 1000
    private static let (stepPause, roundPause) = (Duration.milliseconds(50), Duration.seconds(3600))

    /// `archive` has the rows of `journal`.
    init(
        from archive: any Store, of journal: any Store, _ sessions: Sessions,
        keeping retention: Retention, on loop: LibeventLoop
    ) {
        (self.archive, self.journal, self.sessions) = (archive, journal, sessions)
        (self.retention, self.loop) = (retention, loop)
        compare(after: 0)
    }

    /// Compares the next old rows after a position. Without a result, because a store has failed, the next round is an hour later.
    private func compare(after position: Int) {
        guard let cutoff = retention.cutoff(at: sessions.now)?.nanoseconds else { return }
        wait(Self.roundPause, after: 0)
        let limit = Self.rowsPerStep
        journal.pruneCandidates(after: position, recordedBefore: cutoff, limit: limit) {
            [weak self, archive] kept in
            archive.pruneCandidates(after: position, recordedBefore: cutoff, limit: limit) {
                [weak self] archived in
                guard let self, let kept = try? kept.get(), let archived = try? archived.get()
                else { return }
                remove(archived.map(\.position), unlessIn: kept.map(\.position))
            }
        }
    }

    /// Removes the archived rows that are not kept, up to the end of the shorter of two lists that are full.
    private func remove(_ archived: [Int], unlessIn kept: [Int]) {
        let end = [archived, kept].filter { $0.count == Self.rowsPerStep }.compactMap(\.last).min()
        let remaining = Set(kept)
        let old = archived.filter { $0 <= end ?? .max && !remaining.contains($0) }
        if let end { wait(Self.stepPause, after: end) }
        // A failure ends the store, which reports it.
        if !old.isEmpty { archive.prune(old) { _ in } }
    }

    private func wait(_ time: Duration, after position: Int) {
        alarm.set(on: loop, time) { [unowned self] in compare(after: position) }
    }
}
