import GameFlow
import Glibc
import Journal
import LocalJournals
import Sessions
import Shell
import Support
import Timers

/// Executes `gamectl restore`, which makes a backup the journal of a state directory. `lines` and `json` say what was restored,
/// and what is lost.
struct RestoreReport {
    private let directory: String
    private let rows: Int
    private let sessionCount: Int
    /// The time of the newest row of the backup, as text; nil if it has no rows.
    private let newestTime: String?
    /// The number of rows that the replaced journal had and the backup does not have. Nil if there was no journal, or if it
    /// could not be read.
    private let lostRows: Int?
    /// The version of the backup. The daemon converts version 2 when it starts.
    private let version: String
    /// The reason why the daemon cannot start with the backup before it is converted; nil if it can.
    private let conversionError: StoreError?
    /// The names of the old files.
    private let movedNames: [String]

    /// Checks the backup at `path`, and puts it in the place of the journal of `directory`, which is created if it is missing.
    /// `path` is a file, or the folder of an archive.
    /// No daemon may use the directory. Throws if a row of the backup is damaged, and then changes nothing.
    init(_ path: String, to directory: String) throws(CommandError) {
        self.directory = directory
        let path = try Self.file(path)
        let backup = try OpenJournal(directoryOrBackup: path, acceptsVersion1: true)
        let (scan, span) = try Self.scan(backup, path)
        guard scan.damage.isEmpty, scan.lost == 0 else {
            throw .check(
                "\(TerminalSafe.escaped(path)) is damaged, and nothing was changed: see "
                    + "`gamectl journal check \(TerminalSafe.escaped(path))`")
        }
        guard mkdir(directory, 0o750) == 0 || errno == EEXIST else {
            throw .malformed([
                "\(TerminalSafe.escaped(directory)): \(String(cString: strerror(errno)))"
            ])
        }
        // Until the backup is in its place, no daemon can start in the directory.
        let lock = try CopyReport.lockDirectory(directory)
        defer { withExtendedLifetime(lock) {} }
        (rows, sessionCount) = (scan.count, scan.sessions)
        newestTime = scan.count == 0 ? nil : backup.time(span.last)
        (version, conversionError) = (backup.version, backup.conversionError(in: directory))
        lostRows = Self.newestPosition(in: directory).map { max(0, $0 - scan.newestPosition) }
        let suffix = "replaced-\(ClockText.fileNameTime())"
        // The token file is replaced only if the backup contains tokens.
        let oldNames =
            LocalJournals.fileNames + [HighWaterMarkFile.name]
            + (backup.tokens.isEmpty ? [] : ["tokens"])
        do throws(StoreError) {
            movedNames = try LocalJournals.first.restore(
                path, to: directory, movingAside: oldNames, suffix: suffix)
        } catch { throw OpenJournal.failure(error, directory) }
    }

    /// The path of the backup. Of an archive, it is the file in its folder, into which the log beside it has been moved.
    private static func file(_ path: String) throws(CommandError) -> String {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return path }
        let kind = LocalJournals.kind(in: path)
        let file = "\(path)/\(kind.fileName)"
        guard access(file, F_OK) == 0 else {
            throw .usage(
                "restore: \(TerminalSafe.escaped(path)) is a directory without \(kind.fileName); name a backup or an archive"
            )
        }
        let lock = try CopyReport.lockDirectory(path)
        defer { withExtendedLifetime(lock) {} }
        do throws(StoreError) { try kind.init(existing: file).checkpoint() } catch {
            throw OpenJournal.failure(error, path)
        }
        return file
    }

    /// Reads all rows of the backup.
    private static func scan(_ backup: OpenJournal, _ path: String) throws(CommandError)
        -> (JournalScan, TimeSpan)
    {
        var (scan, span) = (JournalScan(prunedUpTo: backup.prunedUpTo), TimeSpan())
        do throws(StoreError) {
            try backup.rows(progress: "checking the backup") { row in
                scan.add(row)
                span.add(row)
                return true
            }
        } catch { throw OpenJournal.failure(error, path) }
        return (scan, span)
    }

    /// The position of the newest row of the journal that is replaced; nil if there was no journal, or if it cannot be read.
    private static func newestPosition(in directory: String) -> Int? {
        let kind = LocalJournals.kind(in: directory)
        return try? kind.init(reading: "\(directory)/\(kind.fileName)").newestPosition()
    }

    var lines: [String] {
        var lines = [
            "\(CountText.write(rows, "row")) of \(CountText.write(sessionCount, "session")) restored to \(TerminalSafe.escaped(directory))"
                + (newestTime.map { ", up to \($0)" } ?? "")
        ]
        if let lostRows, lostRows > 0 {
            lines.append(
                "what was played since is lost: \(CountText.write(lostRows, "row"))")
        }
        if !movedNames.isEmpty {
            lines.append("the old files are kept: \(movedNames.joined(separator: ", "))")
        }
        if let conversionError {
            lines.append(TerminalSafe.escaped(conversionError.why))
        } else if version != RowFormat.newestVersion {
            lines.append(
                "the journal has version \(version); this gamed converts it when it starts")
        }
        return lines
    }

    var json: [Member] {
        [
            Member("rows", rows), Member("sessions", sessionCount), Member("version", version),
            Member("kept", .array(movedNames.map { .string($0) })),
        ] + (lostRows.map { [Member("lost", $0)] } ?? [])
    }
}
