package import GameFlow
import Parts
package import Sessions

/// Carries out the methods `backup` and `prune`, and has the figures of the journal. Each result is the members of the reply.
package protocol JournalUpkeep {
    /// Removes the old rows that nothing needs, now.
    func prune(_ done: @escaping (Result<[Member], RequestError>) -> Void)
    /// Writes a copy of the journal and verifies it.
    func backup(
        to target: BackupTarget, _ done: @escaping (Result<[Member], RequestError>) -> Void)
    /// What the metrics show of the journal; nil if nothing is known of it.
    var figures: JournalFigures? { get }
}

/// The upkeep of a daemon that keeps no journal.
package struct NoUpkeep: JournalUpkeep {
    package init() {}

    package var figures: JournalFigures? { nil }

    package func prune(_ done: @escaping (Result<[Member], RequestError>) -> Void) {
        done(.failure(.noJournal))
    }

    package func backup(
        to target: BackupTarget, _ done: @escaping (Result<[Member], RequestError>) -> Void
    ) {
        done(.failure(.noJournal))
    }
}
