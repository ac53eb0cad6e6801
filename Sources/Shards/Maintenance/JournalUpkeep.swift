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
    /// When the last complete backup was made, in seconds since 1970; 0 if none was made.
    var lastBackup: Int { get }
    /// The size of the journal's files in bytes; nil if the journal is not in a directory of this daemon.
    var journalSize: Int? { get }
}

/// The upkeep of a daemon that keeps no journal.
package struct NoUpkeep: JournalUpkeep {
    package init() {}

    package var lastBackup: Int { 0 }
    package var journalSize: Int? { nil }

    package func prune(_ done: @escaping (Result<[Member], RequestError>) -> Void) {
        done(.failure(.noJournal))
    }

    package func backup(
        to target: BackupTarget, _ done: @escaping (Result<[Member], RequestError>) -> Void
    ) {
        done(.failure(.noJournal))
    }
}
