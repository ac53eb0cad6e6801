import Glibc
import Journal
import SQLiteStore
import Shell
import Timers

/// A journal that is read, and what holds for all of it. SQLite is named nowhere else in this program.
struct OpenJournal {
    private let file: JournalFile
    /// The directory it is in; nil of a backup.
    let directory: String?
    /// Up to where rows were removed because they were old.
    let pruned: Int
    let head: Int
    /// `real` or `virtual`; nil where nobody has said so.
    let clock: String?
    let instance: String?

    /// Opens a state directory's journal, or a backup.
    init(_ path: String) throws(Failure) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw .malformed(["\(TerminalSafe.word(path)): \(String(cString: strerror(errno)))"])
        }
        directory = status.st_mode & S_IFMT == S_IFDIR ? path : nil
        let name = directory.map { "\($0)/\(JournalFile.name)" } ?? path
        guard access(name, F_OK) == 0 else {
            let why =
                errno == ENOENT
                ? "there is no \(JournalFile.name) in it" : String(cString: strerror(errno))
            throw .malformed(["\(TerminalSafe.word(path)): \(why)"])
        }
        if let directory, DirectoryLock.isHeld(directory) {
            throw .busy("\(TerminalSafe.word(path)): another gamed is using it")
        }
        do throws(SQLiteError) {
            file = try JournalFile(reading: name)
            pruned = try file.pruned()
            head = try file.head()
            (clock, instance) = (try file.fact("clock"), try file.fact("instance"))
        } catch { throw Self.failure(StoreError(opening: error), path) }
    }

    /// The failure of the command for an error of the store.
    static func failure(_ error: StoreError, _ path: String) -> Failure {
        let sentence = "\(TerminalSafe.word(path)): \(TerminalSafe.word(error.why))"
        switch error.kind {
        case .busy: return .busy(sentence)
        case .damaged: return .check(sentence)
        case .full, .out, .other: return .malformed([sentence])
        }
    }

    var isVirtual: Bool { clock == "virtual" }

    /// Hands out all rows in order, and shows on a terminal how far that has got.
    func rows(_ what: String, _ take: (JournalRow) -> Bool) throws(StoreError) {
        var progress = Progress("gamectl: \(what)", of: head)
        defer { progress.end() }
        try rows { row in
            progress.show(row.position)
            return take(row)
        }
    }

    /// Hands out all rows in order.
    func rows(_ take: (JournalRow) -> Bool) throws(StoreError) {
        do throws(SQLiteError) { try file.rows(take) } catch { throw StoreError(opening: error) }
    }

    /// The positions of all rows that were erased, in order.
    func erased() throws(StoreError) -> [Int] {
        do throws(SQLiteError) { return try file.erased() } catch {
            throw StoreError(opening: error)
        }
    }

    /// How many bytes it takes, with its log.
    var bytes: Int { file.bytes }

    /// What the store finds wrong with the file; empty if it is sound.
    func quickCheck() throws(StoreError) -> [String] {
        do throws(SQLiteError) { return try file.quickCheck() } catch {
            throw StoreError(opening: error)
        }
    }

    /// The mark beside the journal; nil of a backup, and where there is none.
    var mark: HighWaterMark? { directory.flatMap { HighWaterMarkFile.look(in: $0) } }

    // MARK: erasing

    /// What would be erased with all sessions of a name; none of them may be open.
    func erasure(of session: String) throws(NotErased) -> Erasure {
        try file.erasure(of: session)
    }

    /// Erases all sessions of a name from a state directory's journal, or from a backup, which nobody may have open.
    static func erase(_ session: String, from path: String, _ directory: String?)
        throws(Failure) -> Result<Erasure, NotErased>
    {
        let (lock, file): (DirectoryLock?, JournalFile)
        do throws(DirectoryLock.Refused) {
            lock = if let directory { try DirectoryLock(directory) } else { nil }
        } catch {
            throw .busy("\(TerminalSafe.word(path)): another gamed is using it")
        }
        defer { withExtendedLifetime(lock) {} }
        do throws(SQLiteError) {
            file =
                if let directory { try JournalFile(directory) } else {
                    try JournalFile(existing: path)
                }
        } catch { throw failure(StoreError(opening: error), path) }
        do throws(NotErased) { return .success(try file.erase(session)) } catch {
            return .failure(error)
        }
    }

    /// An instant, as its clock's are read.
    func time(_ instant: Instant) -> String {
        let ms = Int(instant.milliseconds)
        return isVirtual ? ClockText.sinceZero(ms) : ClockText.date(ms)
    }
}
