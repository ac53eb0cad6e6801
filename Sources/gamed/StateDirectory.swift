import Glibc
import Journal
import Keeping
import Sessions
import Shell
import Timers

/// The directory in which a daemon keeps what it knows, read from beginning to end before anything else.
struct StateDirectory {
    /// Why the daemon cannot go on from what is there.
    struct Unusable: Error {
        let why: String
    }

    let path: String
    /// What there was to go on from.
    let written: Sessions.Written
    /// The last instant at which the daemon is known to have been up; nil where it never was.
    let lastSign: Instant?
    /// The name of the daemon's life so far.
    let instance: String
    /// How many rows there were.
    let rows: Int

    /// Reads a directory's journal, and makes both where there are none. Throws `Unusable`, or SQLite's
    /// error.
    init(_ options: Options, at path: String, answers: Int, newInstance: String) throws {
        self.path = path
        try Self.make(path)
        let file = try JournalFile(path)
        try Self.check(file, clock: options.isVirtual ? "virtual" : "real")
        var reading = JournalReading(pruned: try file.pruned(), answers: answers)
        var progress = Progress("gamed: reading the journal", of: Int(try file.head()))
        try file.rows { row in
            reading.take(row)
            progress.show(Int(row.position))
            return true
        }
        progress.end()
        let mark = MarkFile(path)?.read()
        if let mark, mark.position > max(reading.scan.head, try file.pruned()) {
            try Self.shortened(from: mark.position, to: reading.scan.head, options.acceptsLoss)
        }
        rows = reading.scan.count
        written = reading.written()
        let lastMark = Instant(nanoseconds: mark?.atNs ?? 0)
        lastSign =
            rows == 0 ? nil : options.isVirtual ? reading.lastRow : max(reading.lastRow, lastMark)
        let old = rows == 0 ? nil : try file.fact("instance")
        instance = old ?? newInstance
        if old == nil { try file.note("instance", newInstance) }
    }

    private static func make(_ path: String) throws {
        guard mkdir(path, 0o750) == 0 || errno == EEXIST else {
            throw Unusable(why: "cannot make it: \(String(cString: strerror(errno)))")
        }
    }

    /// Time on one clock means nothing on the other.
    private static func check(_ file: JournalFile, clock: String) throws {
        guard let old = try file.fact("clock") else { return try file.note("clock", clock) }
        guard old == clock else {
            throw Unusable(
                why: "its journal is of the \(old) clock: run with --clock \(old), "
                    + "or with another directory")
        }
    }

    private static func shortened(from old: Int64, to new: Int64, _ isAccepted: Bool) throws {
        let what = "the journal ends at row \(new), and had got to row \(old) at least"
        guard isAccepted else {
            throw Unusable(
                why: "\(what): what came behind is lost. See what is there with `gamectl journal "
                    + "check`; --accept-loss goes on without it")
        }
        Log.write(.warning, "\(what); going on without what came behind")
    }
}
