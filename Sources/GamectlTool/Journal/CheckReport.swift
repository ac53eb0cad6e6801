import Durability
import GameFlow
import Journal
import Sessions
import Shell
import Timers

/// The output of `gamectl journal check` for one journal: what the journal contains, and its defects.
struct CheckReport {
    private let journal: OpenJournal
    private let terminal: Terminal
    /// The counts and the damage that the verification of the rows has found.
    private let scan: JournalScan
    private let span: TimeSpan
    /// The number of open sessions that can be restored.
    private let openCount: Int
    /// Defects that SQLite found in the file, and the loss of rows at its end, which the high-water mark shows.
    private let storageDefects: [String]
    /// Sessions with intact rows that the flows cannot restore.
    private let quarantined: [Sessions.QuarantineError]

    /// Reads all rows, verifies them, and restores the sessions as a starting daemon does. `flows` are the program's flows.
    init(_ journal: OpenJournal, _ flows: [AnyFlow], _ terminal: Terminal) {
        (self.journal, self.terminal) = (journal, terminal)
        var storageDefects: [String] = []
        do throws(StoreError) { storageDefects = try journal.faults() } catch {
            storageDefects = [error.why]
        }
        // The check needs no answers to earlier requests.
        var reading = JournalReading(prunedUpTo: journal.prunedUpTo, answerLimit: 0)
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
        let mark = journal.highWaterMark
        if isReadToEnd, let mark, mark.position > max(scan.newestPosition, journal.prunedUpTo) {
            storageDefects.append(
                "the journal ends at row \(scan.newestPosition), but had at least \(mark.position) rows: the "
                    + "last ones are lost")
        }
        self.storageDefects = storageDefects
        // The latest time at which the daemon is known to have run, in nanoseconds of its clock. For a virtual clock, this is
        // the time of the newest row.
        let lastAlive = max(reading.latestTime.nanoseconds, journal.isVirtual ? 0 : mark?.atNs ?? 0)
        let sessions = Sessions(
            RecordedFlows.catalog(flows),
            on: ReplayClock(startingAt: Instant(nanoseconds: lastAlive)))
        let content = reading.content()
        let damagedSessions = Set(content.damaged.map(\.session))
        // The sessions with damaged rows are left out, because `scan` reports them.
        quarantined = sessions.restore(content, lastAlive: sessions.now).filter {
            !damagedSessions.contains($0.session)
        }
        openCount = sessions.count
        // The restored sessions were needed only to be counted.
        sessions.endMachines()
    }

    /// The number of defects.
    var defectCount: Int { scan.damage.count + storageDefects.count + quarantined.count }

    /// The number of sessions that cannot be restored, because of damaged rows or because of the flows.
    private var quarantinedCount: Int {
        // `untrusted` has the names of the sessions with damaged rows; `quarantined` leaves these sessions out. The empty name
        // stands for the daemon's own rows.
        scan.untrusted.count { !$0.key.isEmpty } + quarantined.count
    }

    // MARK: text

    var lines: [String] {
        var table = Table()
        table.add(["rows", "\(scan.count)"])
        if journal.prunedUpTo > 0 {
            table.add(["removed", "old rows up to row \(journal.prunedUpTo)"])
        }
        if scan.forgotten > 0 {
            table.add(["forgotten", "\(scan.forgotten) rows, erased by journal forget"])
        }
        table.add([
            "sessions",
            "\(openCount) open, \(closedCount) closed, \(quarantinedCount) quarantined",
        ])
        if let time = span.words(journal) { table.add(["time", time]) }
        table.add(["clock", TerminalSafe.escaped(journal.clock ?? "not recorded")])
        table.add(["instance", TerminalSafe.escaped(journal.instance ?? "not recorded")])
        table.add(["bytes", "\(journal.bytes)"])
        return table.lines(terminal) + [""] + outcome
    }

    private var closedCount: Int { max(0, scan.sessions - openCount - quarantinedCount) }

    /// One line for each defect, or one that says that the journal is sound.
    private var outcome: [String] {
        guard defectCount > 0 else { return [terminal.paint("sound", .green)] }
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
            Member("sound", defectCount == 0), Member("rows", scan.count),
            Member("head", scan.newestPosition), Member("pruned", journal.prunedUpTo),
            Member("forgotten", scan.forgotten),
            Member("sessions", scan.sessions), Member("open", openCount),
            Member("closed", closedCount),
            Member("quarantined", .array(quarantined.map(jsonObject))),
        ] + span.json + [
            Member("clock", journal.clock.map { .string($0) } ?? .null),
            Member("instance", journal.instance.map { .string($0) } ?? .null),
            Member("bytes", journal.bytes),
            Member("storage", .array(storageDefects.map { .string($0) })),
            Member("damage", .array(scan.damage.map(jsonObject))),
        ]
    }

    private func jsonObject(_ error: Sessions.QuarantineError) -> Value {
        .object([Member("session", error.session.text), Member("why", error.why)])
    }

    private func jsonObject(_ damage: JournalScan.Damage) -> Value {
        .object([
            Member("position", damage.position), Member("session", damage.session),
            Member("why", damage.why),
        ])
    }
}
