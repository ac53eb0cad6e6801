import GameFlow
import Journal
import JournalVersion1
import LocalJournals
import Shell

/// Executes `gamectl journal convert`, which converts the journal of a state directory to the newest version. When the
/// daemon starts, it does the same, except for version 1. `lines` and `json` say what was done, or what would be done.
struct ConversionReport {
    private let directory: String
    /// The version before the conversion.
    private let version: String
    private let isCheck: Bool
    /// What the conversion needs; nil if there is nothing to convert.
    private let plan: ConversionPlan?

    /// Converts the journal, or only finds out what the conversion would do if `isCheck` is true. No daemon may use the
    /// directory. Throws if there is not enough space, and then changes nothing.
    init(_ directory: String, isCheck: Bool, _ terminal: Terminal) throws(CommandError) {
        (self.directory, self.isCheck) = (directory, isCheck)
        (version, plan) = try Self.inspect(directory)
        if isCheck || plan == nil { return }
        let lock = try CopyReport.lockDirectory(directory)
        defer { withExtendedLifetime(lock) {} }
        do throws(StoreError) {
            var progress: Progress?
            _ = try LocalJournals.kind(in: directory).init(
                in: directory, converting: Version1Conversion.self
            ) { done, total in
                if progress == nil { progress = Progress("gamectl: converting", of: total) }
                progress?.show(done)
            }
            progress?.end()
        } catch { throw OpenJournal.failure(error, directory) }
    }

    /// The version of a directory's journal, and what its conversion needs. The journal is closed when this returns.
    private static func inspect(_ directory: String) throws(CommandError)
        -> (version: String, plan: ConversionPlan?)
    {
        let journal = try OpenJournal(directoryOrBackup: directory, acceptsVersion1: true)
        guard journal.directory != nil else {
            throw .usage(
                "journal convert: \(TerminalSafe.escaped(directory)) is not a state directory")
        }
        do throws(StoreError) { return (journal.version, try journal.conversionPlan()) } catch {
            throw OpenJournal.failure(error, directory)
        }
    }

    var lines: [String] {
        let name = TerminalSafe.escaped(directory)
        guard let plan else {
            return ["\(name): the journal has version \(RowFormat.newestVersion) already"]
        }
        let copy =
            "the old file \(isCheck ? "is kept" : "was kept") as \(TerminalSafe.escaped(plan.copyPath))"
        guard isCheck else {
            return [
                "\(name): converted from version \(version) to \(RowFormat.newestVersion); \(copy)",
                "the way back is `gamectl restore \(TerminalSafe.escaped(plan.copyPath)) \(name)`, which loses what was played since",
            ]
        }
        var lines = [
            "\(name): would be converted from version \(version) to \(RowFormat.newestVersion); \(copy)",
            plan.rewritesRows
                ? "all rows are rewritten" : "no row is rewritten; new rows get the new format",
            "the copy and the conversion need \(plan.neededBytes) bytes"
                + (plan.freeBytes.map { ", and \($0) are free" } ?? ""),
        ]
        if plan.missingBytes > 0 {
            lines.append("the conversion would fail: \(plan.missingBytes) bytes are missing")
        }
        return lines
    }

    var json: [Member] {
        [Member("version", version), Member("converted", .bool(!isCheck && plan != nil))]
            + (plan.map {
                [
                    Member("copy", $0.copyPath),
                    Member("neededBytes", Int(clamping: $0.neededBytes)),
                    Member("missingBytes", Int(clamping: $0.missingBytes)),
                ]
            } ?? [])
    }
}
