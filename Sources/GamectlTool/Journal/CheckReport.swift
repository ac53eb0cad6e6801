import Durability
import GameFlow
import Journal
import Sessions
import Shell
import Timers

/// The result of `journal check`: the journal's contents and defects.
struct CheckReport {
    private let journal: OpenJournal
    private let terminal: Terminal
    private let scan: JournalScan
    private let span: TimeSpan
    /// The number of open sessions.
    private let openCount: Int
    /// Defects that SQLite found in the file, and the loss of rows at its end, which the high-water mark shows.
    private let storageDefects: [String]
    /// Sessions with intact rows that the flows cannot restore.
    private let quarantined: [Sessions.QuarantineError]

    init(_ journal: OpenJournal, _ flows: [AnyFlow], _ terminal: Terminal) {
        (self.journal, self.terminal) = (journal, terminal)
        var storageDefects: [String] = []
        do throws(StoreError) { storageDefects = try journal.quickCheck() } catch {
            storageDefects = [error.why]
        }
        var reading = JournalReading(prunedUpTo: journal.pruned, answerLimit: 0)
        var (span, isReadToEnd) = (TimeSpan(), true)
        do throws(StoreError) {
            try journal.rows(progress: "reading") { row in
                reading.add(row)
                span.add(row)
                return true
            }
        } catch {
            storageDefects.append("reading ended: \(error.why)")
            isReadToEnd = false
        }
        scan = reading.scan
        self.span = span
        let mark = journal.mark
        if isReadToEnd, let mark, mark.position > max(scan.newestPosition, journal.pruned) {
            storageDefects.append(
                "the journal ends at row \(scan.newestPosition), but had at least \(mark.position) rows: the "
                    + "last ones are lost")
        }
        self.storageDefects = storageDefects
        let lastAlive = max(reading.latestTime.nanoseconds, journal.isVirtual ? 0 : mark?.atNs ?? 0)
        let sessions = Sessions(
            RecordedFlows.catalog(flows),
            on: ReplayClock(startingAt: Instant(nanoseconds: lastAlive)))
        let content = reading.content()
        let damagedSessions = Set(content.damaged.map(\.session))
        quarantined = sessions.restore(content, lastAlive: sessions.now).filter {
            !damagedSessions.contains($0.session)
        }
        openCount = sessions.count
        for session in sessions.all { session.machine.end() }
    }

    /// The number of defects.
    var findings: Int { scan.damage.count + storageDefects.count + quarantined.count }

    /// The number of sessions that cannot be restored, because of damaged rows or because of the flows.
    private var quarantinedCount: Int {
        scan.untrusted.count { !$0.key.isEmpty } + quarantined.count
    }

    // MARK: text

    var lines: [String] {
        var table = Table()
        table.add(["rows", "\(scan.count)"])
        if journal.pruned > 0 {
            table.add(["removed", "old rows up to row \(journal.pruned)"])
        }
        if scan.forgotten > 0 {
            table.add(["forgotten", "\(scan.forgotten) rows, erased by journal forget"])
        }
        table.add([
            "sessions",
            "\(openCount) open, \(closedCount) closed, \(quarantinedCount) quarantined",
        ])
        if let words = span.words(journal) { table.add(["time", words]) }
        table.add(["clock", TerminalSafe.escaped(journal.clock ?? "not recorded")])
        table.add(["instance", TerminalSafe.escaped(journal.instance ?? "not recorded")])
        table.add(["bytes", "\(journal.bytes)"])
        return table.lines(terminal) + [""] + outcome
    }

    private var closedCount: Int { max(0, scan.sessions - openCount - quarantinedCount) }

    private var outcome: [String] {
        guard findings > 0 else { return [terminal.paint("sound", .green)] }
        let title = terminal.paint("damaged", .red)
        return storageDefects.map { "\(title): \(TerminalSafe.escaped($0))" }
            + scan.damage.map {
                "\(title): row \($0.position), \(ReplayReport.title($0.session)): \($0.why)"
            }
            + quarantined.map {
                "\(terminal.paint("quarantined", .red)): session \($0.session.text): "
                    + TerminalSafe.escaped($0.why)
            }
    }

    // MARK: JSON

    var json: [Member] {
        [
            Member("sound", findings == 0), Member("rows", scan.count),
            Member("head", scan.newestPosition), Member("pruned", journal.pruned),
            Member("forgotten", scan.forgotten),
            Member("sessions", scan.sessions), Member("open", openCount),
            Member("closed", closedCount),
            Member("quarantined", .array(quarantined.map(entry))),
        ] + span.json + [
            Member("clock", journal.clock.map { .string($0) } ?? .null),
            Member("instance", journal.instance.map { .string($0) } ?? .null),
            Member("bytes", journal.bytes),
            Member("storage", .array(storageDefects.map { .string($0) })),
            Member("damage", .array(scan.damage.map(entry))),
        ]
    }

    private func entry(_ error: Sessions.QuarantineError) -> Value {
        .object([Member("session", error.session.text), Member("why", error.why)])
    }

    private func entry(_ damage: JournalScan.Damage) -> Value {
        .object([
            Member("position", damage.position), Member("session", damage.session),
            Member("why", damage.why),
        ])
    }
}
