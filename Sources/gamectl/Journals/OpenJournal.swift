import Glibc
import Journal
import Shell
import Timers

/// A journal that is looked at, and what holds for all of it.
struct OpenJournal {
    let file: JournalFile
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
            throw .malformed(["\(Shown.word(path)): \(String(cString: strerror(errno)))"])
        }
        directory = status.st_mode & S_IFMT == S_IFDIR ? path : nil
        let name = directory.map { "\($0)/\(JournalFile.name)" } ?? path
        guard access(name, F_OK) == 0 else {
            let why =
                errno == ENOENT
                ? "there is no \(JournalFile.name) in it" : String(cString: strerror(errno))
            throw .malformed(["\(Shown.word(path)): \(why)"])
        }
        if let directory, DirectoryLock.isHeld(directory) {
            throw .busy("\(Shown.word(path)): it is in use; another gamed has it open")
        }
        do throws(SQLiteError) {
            file = try JournalFile(reading: name)
            pruned = try file.pruned()
            head = try file.head()
            (clock, instance) = (try file.fact("clock"), try file.fact("instance"))
        } catch { throw Self.failure(error, path) }
    }

    /// What SQLite's error means to who asked.
    static func failure(_ error: SQLiteError, _ path: String) -> Failure {
        let sentence = "\(Shown.word(path)): \(Shown.word(error.sentence))"
        if error.isBusy { return .busy(sentence) }
        return error.isDamage ? .check(sentence) : .malformed([sentence])
    }

    var isVirtual: Bool { clock == "virtual" }

    /// Hands out all rows in order, and shows on a terminal how far that has got.
    func rows(_ what: String, _ take: (JournalRow) -> Bool) throws(SQLiteError) {
        var progress = Progress("gamectl: \(what)", of: head)
        defer { progress.end() }
        try file.rows { row in
            progress.show(row.position)
            return take(row)
        }
    }

    /// An instant, as its clock's are read.
    func time(_ instant: Instant) -> String {
        let ms = Int(instant.milliseconds)
        return isVirtual ? ClockText.sinceZero(ms) : ClockText.date(ms)
    }
}
