import Glibc
import Journal
import LocalJournals
import Support

/// The folder of an archive. It is like a state directory, but only the archive writes to it. The calls block on the disk.
struct ArchiveFolder: Sendable {
    let path: String
    /// The directory of the archived journal.
    let stateDirectory: String
    /// Which clock the times in the rows are of.
    let clock: String

    /// An archive that was found or made.
    struct Opened: Sendable {
        /// While this object exists, no other process can use the folder.
        let lock: DirectoryLock
        /// The position of its newest row; 0 if it has none.
        let newestPosition: Int
        /// What an operator should know of the folder, a sentence each.
        let notes: [String]
    }

    /// Opens the archive, and makes the folder and the archive if they are missing. If `replaces` is true, an archive that is there is
    /// moved into a folder inside this one, and so is one whose times are of another clock.
    func open(replaces: Bool) -> Result<Opened, StoreError> {
        do {
            try StateDirectory.makeDirectory(path)
            let lock = try StateDirectory.acquireLock(path)
            var notes: [String] = []
            if try replaces || isOfOtherClock(), let target = try moveAside() {
                notes.append(
                    "the archive in \(path) was not one of this journal: it is kept in \(target), and a new one begins"
                )
            }
            // A failure of the journal's disk is then also one of this folder's.
            if isOnDiskOfJournal {
                notes.append(
                    "the archive in \(path) is on the disk of the journal, and would be lost with it"
                )
            }
            return .success(
                Opened(lock: lock, newestPosition: try prepare(), notes: notes))
        } catch let error as StoreError {
            return .failure(error)
        } catch { return .failure(StoreError(.other, why: "\(error)")) }
    }

    private func isOfOtherClock() throws -> Bool {
        guard LocalJournals.hasJournal(path) else { return false }
        let recorded = try journal().note(JournalNote.clock)
        return recorded.map { $0 != clock } ?? false
    }

    /// Makes the archive if it is missing, and returns the position of its newest row.
    private func prepare() throws -> Int {
        let journal = try journal()
        try StateDirectory.checkClock(of: journal, is: clock)
        return try journal.newestPosition()
    }

    private func journal() throws -> any LocalJournal {
        try LocalJournals.first.init(in: path, converting: nil) { _, _ in }
    }

    /// Moves the files of the archive into a new folder, and returns its path. Wraps mkdir(2), rename(2).
    private func moveAside() throws -> String? {
        let names = (LocalJournals.fileNames + [HighWaterMarkFile.name]).filter {
            access("\(path)/\($0)", F_OK) == 0
        }
        guard !names.isEmpty else { return nil }
        for number in 1...Self.maxEarlier {
            let target = "\(path)/earlier-\(number)"
            if mkdir(target, 0o750) != 0 {
                guard errno == EEXIST else { throw Self.failure("cannot make \(target)") }
                continue
            }
            for name in names {
                guard rename("\(path)/\(name)", "\(target)/\(name)") == 0 else {
                    throw Self.failure("cannot move \(name)")
                }
            }
            return target
        }
        throw StoreError(
            .other,
            why: "it has \(Self.maxEarlier) archives of other journals; remove some of them")
    }

    /// How many archives of other journals the folder may have.
    static let maxEarlier = 100

    /// Wraps stat(2).
    private var isOnDiskOfJournal: Bool {
        var (own, journal) = (stat(), stat())
        return stat(path, &own) == 0 && stat(stateDirectory, &journal) == 0
            && own.st_dev == journal.st_dev
    }

    /// The error of the latest system call.
    private static func failure(_ operation: String) -> StoreError {
        StoreError(.other, why: "\(operation): \(String(cString: strerror(errno)))")
    }
}
