import Durability
import GameFlow
import JSONCoding
import Journal
import Sessions
import Shell
import Support

/// The verbs that read a journal without a daemon: `replay` and `journal`.
struct JournalCommand {
    private let isJSON: Bool
    private let flows: [AnyFlow]
    /// Standard output.
    private let terminal = Terminal.standardOutput

    init(isJSON: Bool, _ flows: [AnyFlow]) { (self.isJSON, self.flows) = (isJSON, flows) }

    func run(_ options: JournalOptions) throws(CommandError) {
        switch options {
        case .replay(let path, nil): try replay(path)
        case .replay(let path, let flow?):
            try counterfactual(path, try AnalysisOptions.validFlow(flow, flows))
        case .check(let path): try check(path)
        case .export(let path, let session): try export(path, session)
        case .stats(let options): try statistics(options)
        case .convert(let directory, let isCheck):
            let report = try ConversionReport(directory, isCheck: isCheck, terminal)
            print(report.lines, report.json)
        case .restore(let path, let directory):
            let report = try RestoreReport(path, to: directory)
            print(report.lines, report.json)
        case .copy(let source, let target):
            let report = try CopyReport(from: source, to: target)
            print(report.lines, report.json)
        case .forget(let path, let session, let isDryRun):
            let report = try ForgetReport(path, session, isDryRun: isDryRun)
            print(report.lines, report.json)
        }
    }

    private func replay(_ path: String) throws(CommandError) {
        // The sentence about the first journal whose replay failed. The sentence is thrown as an error when the reports of all
        // journals were printed.
        var verdict: String?
        for journal in try OpenJournal.all(path) {
            let report: ReplayReport
            do throws(StoreError) { report = try ReplayReport(journal, flows, terminal) } catch {
                throw OpenJournal.failure(error, path)
            }
            print(report.lines, report.json, of: journal)
            verdict = verdict ?? report.verdict
        }
        if let verdict { throw .check(verdict) }
    }

    /// `replay --flow`: replays the journals with `flow`.
    private func counterfactual(_ path: String, _ flow: AnyFlow) throws(CommandError) {
        // The sentence about the first journal with a session that differs.
        var verdict: String?
        for journal in try OpenJournal.all(path) {
            let report: CounterfactualReport
            do throws(StoreError) {
                report = try CounterfactualReport(
                    flow, programFlows: flows, journal, terminal)
            } catch {
                throw OpenJournal.failure(error, path)
            }
            if isJSON {
                for session in report.json { print([], session, of: journal) }
            } else {
                print(report.lines, [], of: journal)
            }
            if report.differingCount > 0 { verdict = verdict ?? report.verdict }
        }
        if let verdict { throw .check(verdict) }
    }

    private func check(_ path: String) throws(CommandError) {
        var defectCount = 0
        for journal in try OpenJournal.all(path) {
            let report = CheckReport(journal, flows, terminal)
            print(report.lines, report.json, of: journal)
            defectCount += report.defectCount
        }
        guard defectCount == 0 else {
            throw .check("\(CountText.write(defectCount, "defect")) found")
        }
    }

    private func export(_ path: String, _ session: String?) throws(CommandError) {
        for journal in try OpenJournal.all(path) {
            do throws(StoreError) {
                try journal.rows { row in
                    guard session == nil || row.session == session else { return true }
                    // If the reader of standard output has closed the pipe, end the loop, but not the process. Then SQLite
                    // closes the file properly.
                    return Output.tryWrite(
                        Output.escapedForTerminal(ExportLine.write(row)) + [0x0A])
                }
            } catch { throw OpenJournal.failure(error, path) }
        }
    }

    /// Prints one report. For a database it covers all shards together, unlike the reports of the other verbs.
    private func statistics(_ options: StatisticsOptions) throws(CommandError) {
        let report = try StatisticsCommand(options, flows).report()
        let lines = try Printer(terminal).statistics(.object(report))
        print(lines, report)
    }

    /// Prints a report, as text or as JSON. `journal` is the only journal that the report covers; nil if the report covers all
    /// journals. If `journal` contains the rows of a shard, the shard's number is printed first.
    private func print(_ lines: [String], _ json: [Member], of journal: OpenJournal? = nil) {
        let shard = journal?.shard
        if isJSON {
            Output.json(
                JSONWriter.bytes { $0.object((shard.map { [Member("shard", $0)] } ?? []) + json) })
        } else {
            for line in (shard.map { ["shard \($0)"] } ?? []) + lines { Output.line(line) }
        }
    }
}

/// The options of the verbs `replay` and `journal`. `path` is a state directory, a backup or the URL of a database. No daemon
/// may use the state directory meanwhile.
enum JournalOptions: Equatable {
    /// Replay the journal with the recorded flows, or with `flow`, which is the name of a flow or a flow file.
    case replay(path: String, flow: String?)
    /// Verify the journal.
    case check(path: String)
    /// Print the rows of `session`, or all rows if it is nil.
    case export(path: String, session: String?)
    /// Show statistics of the games.
    case stats(StatisticsOptions)
    /// Convert the journal of a state directory to the newest version, or only show what that would do.
    case convert(directory: String, isCheck: Bool)
    /// Make a backup the journal of a state directory.
    case restore(path: String, directory: String)
    /// Copy everything from a state directory to a database, or back.
    case copy(from: String, to: String)
    /// Erase a closed session, or only show what would be erased.
    case forget(path: String, session: String, isDryRun: Bool)

    /// The words that can follow `journal`, including `prune`, which the daemon carries out.
    static let verbs = ["check", "convert", "copy", "export", "forget", "prune", "stats"]

    /// Reads `replay JOURNAL`, with or without `--flow`. Throws if the flow does not exist.
    static func replay(_ line: LongOptions, _ flows: [AnyFlow]) throws(CommandError)
        -> JournalOptions
    {
        let flow = line.value("flow")
        if let flow { _ = try AnalysisOptions.flow(flow, flows) }
        return .replay(path: try path(line.words.dropFirst(), "replay"), flow: flow)
    }

    /// Reads `restore FILE DIR`.
    static func restore(_ line: LongOptions) throws(CommandError) -> JournalOptions {
        guard line.words.count == 3 else {
            throw .usage("restore: name a backup and a state directory")
        }
        return .restore(path: line.words[1], directory: line.words[2])
    }

    /// Reads the verbs of `journal` except `prune`, which is a request to the daemon and does not get here.
    static func journal(_ line: LongOptions) throws(CommandError) -> JournalOptions {
        let words = line.words.dropFirst()
        guard let verb = words.first else {
            throw .usage("journal: add check, convert, copy, export, forget, prune or stats")
        }
        guard verbs.contains(verb) else {
            throw .usage("journal \(TerminalSafe.escaped(verb)): \(DidYouMean.hint(verb, verbs))")
        }
        if line.has("check"), verb != "convert" {
            throw .usage("--check is an option of journal convert")
        }
        if verb == "forget" { return try forget(line) }
        for option in ["state-dir", "store", "dry-run"] where line.has(option) {
            throw .usage("--\(option) is an option of journal forget")
        }
        if verb == "copy" {
            // `copy`, the source and the target.
            guard words.count == 3 else {
                throw .usage("journal copy: name a state directory and the URL of a database")
            }
            if line.has("session") { throw .usage("--session is an option of journal export") }
            return .copy(from: words[words.startIndex + 1], to: words[words.startIndex + 2])
        }
        if verb == "stats" {
            if line.has("session") { throw .usage("--session is an option of journal export") }
            return .stats(try StatisticsOptions(words.dropFirst()))
        }
        let path = try path(words.dropFirst(), "journal \(verb)")
        if verb == "convert" {
            if line.has("session") { throw .usage("--session is an option of journal export") }
            return .convert(directory: path, isCheck: line.has("check"))
        }
        guard verb == "export" else {
            if line.has("session") { throw .usage("--session is an option of journal export") }
            return .check(path: path)
        }
        if let session = line.value("session"), SessionName(session) == nil {
            throw .usage("--session \(TerminalSafe.escaped(session)): not a valid session name")
        }
        return .export(path: path, session: line.value("session"))
    }

    /// Reads `journal forget SESSION --state-dir DIR` or `journal forget SESSION --store URL`, with `--yes` or `--dry-run`.
    private static func forget(_ line: LongOptions) throws(CommandError) -> JournalOptions {
        guard line.words.count == 3 else { throw .usage("journal forget: name one session") }
        let session = line.words[2]
        guard SessionName(session) != nil else {
            throw .usage(
                "journal forget \(TerminalSafe.escaped(session)): not a valid session name")
        }
        let path = try forgetPath(line)
        guard line.has("yes") != line.has("dry-run") else {
            throw .usage(
                "journal forget permanently removes all rows of a session, and its name; confirm with "
                    + "--yes, or use --dry-run to show what would be removed")
        }
        return .forget(path: path, session: session, isDryRun: line.has("dry-run"))
    }

    /// The directory, the backup or the URL in the options of `journal forget`. An empty value counts as none.
    private static func forgetPath(_ line: LongOptions) throws(CommandError) -> String {
        switch (line.value("state-dir") ?? "", line.value("store") ?? "") {
        case ("", ""):
            throw .usage(
                "journal forget: add --state-dir DIR (its daemon must not be running) or --store URL"
            )
        case (let path, ""), ("", let path): return path
        default: throw .usage("journal forget: --state-dir and --store exclude each other")
        }
    }

    /// The path of a journal, if `words` contains only this path; otherwise throws. `verb` names the verb in the error.
    private static func path(_ words: ArraySlice<String>, _ verb: String) throws(CommandError)
        -> String
    {
        guard let path = words.first, !path.isEmpty else {
            throw .usage("\(verb): a state directory or backup is missing")
        }
        if words.count > 1 { throw .usage("\(verb): one journal at a time") }
        return path
    }
}
