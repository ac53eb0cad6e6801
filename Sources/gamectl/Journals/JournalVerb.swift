import Durability
import GameFlow
import JSON
import Journal
import Sessions
import Shell

/// Looks at a journal, and says what is in it.
struct JournalVerb {
    private let isJSON: Bool
    private let terminal = Terminal(1)

    init(isJSON: Bool) { self.isJSON = isJSON }

    func run(_ order: JournalOptions) throws(Failure) {
        switch order {
        case .replay(let path, nil): try replay(path)
        case .replay(let path, let flow?): try whatIf(path, try AnalysisOptions.soundFlow(flow))
        case .check(let path): try check(path)
        case .export(let path, let session): try export(path, session)
        case .forget(let path, let session, let isDryRun):
            let report = try ForgetReport(path, session, isDryRun: isDryRun)
            print(report.lines, report.json)
        }
    }

    private func replay(_ path: String) throws(Failure) {
        let journal = try OpenJournal(path)
        let report: ReplayReport
        do throws(StoreError) { report = try ReplayReport(journal, terminal) } catch {
            throw OpenJournal.failure(error, path)
        }
        print(report.lines, report.json)
        if let verdict = report.verdict { throw .check(verdict) }
    }

    private func whatIf(_ path: String, _ flow: AnyFlow) throws(Failure) {
        let journal = try OpenJournal(path)
        let report: WhatIfReport
        do throws(StoreError) { report = try WhatIfReport(flow, journal, terminal) } catch {
            throw OpenJournal.failure(error, path)
        }
        if isJSON {
            for course in report.json { print([], course) }
        } else {
            print(report.lines, [])
        }
        if report.differing > 0 { throw .check(report.verdict) }
    }

    private func check(_ path: String) throws(Failure) {
        let report = CheckReport(try OpenJournal(path), terminal)
        print(report.lines, report.json)
        if report.findings > 0 { throw .check(report.verdict) }
    }

    private func export(_ path: String, _ session: String?) throws(Failure) {
        let journal = try OpenJournal(path)
        do throws(StoreError) {
            try journal.rows { row in
                guard session == nil || row.session == session else { return true }
                // Where the reader has gone, SQLite is still to put its lock and its log away.
                return Output.offer(Output.shown(ExportLine.write(row)) + [0x0A])
            }
        } catch { throw OpenJournal.failure(error, path) }
    }

    private func print(_ lines: [String], _ json: [Member]) {
        if isJSON {
            Output.json(JSONWriter.bytes { $0.object(json) })
        } else {
            for line in lines { Output.line(line) }
        }
    }
}
