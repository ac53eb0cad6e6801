package import GameFlow
import Parts
package import Sessions

/// Carries out the methods `backup` and `prune`. Each result is the members of the reply.
package protocol JournalUpkeep {
    /// Removes the old rows that nothing needs, now.
    func prune(_ done: @escaping (Result<[Member], RequestError>) -> Void)
    /// Writes a copy of the journal and verifies it.
    func backup(
        to target: BackupTarget, _ done: @escaping (Result<[Member], RequestError>) -> Void)
}

/// The upkeep of a daemon that keeps no journal.
package struct NoUpkeep: JournalUpkeep {
    package init() {}

    package func prune(_ done: @escaping (Result<[Member], RequestError>) -> Void) {
        done(.failure(.noJournal))
    }

    package func backup(
        to target: BackupTarget, _ done: @escaping (Result<[Member], RequestError>) -> Void
    ) {
        done(.failure(.noJournal))
    }
}
