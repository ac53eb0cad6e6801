import Durability
import GameFlow
import Journal
import Sessions
import Shell
import Timers

/// The output of `gamectl replay` for one journal: counts, and the first difference between the journal and its replay.
struct ReplayReport {
    private let journal: OpenJournal
    private let terminal: Terminal
    private let replay: JournalReplay
    private var span = TimeSpan()
    /// The first difference; nil if there is none.
    private var difference: JournalReplay.Difference?

    /// Replays the rows up to the first difference or damaged row. `flows` are the program's flows.
    init(
        _ journal: OpenJournal, _ flows: [AnyFlow], _ terminal: Terminal
    ) throws(StoreError) {
        (self.journal, self.terminal) = (journal, terminal)
        let replay = JournalReplay(
            RecordedFlows.catalog(flows), prunedUpTo: journal.prunedUpTo,
            erased: try journal.erased())
        self.replay = replay
        var (span, difference): (TimeSpan, JournalReplay.Difference?) = (TimeSpan(), nil)
        try journal.rows(progress: "replaying") { row in
            span.add(row)
            difference = replay.execute(row)
            return difference == nil && replay.scan.damage.isEmpty
        }
        (self.span, self.difference) = (span, difference)
        if isSame { self.difference = replay.finish() }
    }

    /// The damaged row at which the replay ended; nil if there is none.
    private var damage: JournalScan.Damage? { replay.scan.damage.first }
    private var isSame: Bool { difference == nil && damage == nil }

    /// Why the replay failed; nil if it matches the journal.
    var verdict: String? {
        // If there are both a damaged row and a difference, only the damaged row is reported, because it explains the
        // difference.
        if let damage { return "row \(damage.position) is damaged: \(damage.why)" }
        guard let difference else { return nil }
        return "row \(difference.position): the replay differs: \(difference.why)"
    }

    // MARK: text

    var lines: [String] {
        var table = Table()
        table.add(["rows", "\(replay.counts.rows)"])
        if replay.counts.forgotten > 0 {
            table.add([
                "forgotten", "\(replay.counts.forgotten) rows, erased and not replayed",
            ])
        }
        table.add(["changes", "\(replay.changes)"])
        table.add(["firings", "\(replay.counts.firings)"])
        table.add(["sessions", "\(replay.scan.sessions)"])
        table.add(["restarts", "\(restarts)"])
        if let time = span.words(journal) { table.add(["time", time]) }
        return table.lines(terminal) + [""] + outcome
    }

    /// How often the daemon started, without its first start.
    private var restarts: Int { max(0, replay.counts.starts - 1) }

    /// The lines about the damaged row or the first difference, or one that says that there is neither.
    private var outcome: [String] {
        if let damage {
            return [
                "\(terminal.paint("damaged", .red)): row \(damage.position), "
                    + "\(Self.title(damage.session)): \(damage.why)"
            ]
        }
        guard let difference else {
            return [terminal.paint("the replay matches the journal", .green)]
        }
        let time = (difference.recorded ?? difference.replayed).map { ", \(journal.time($0.at))" }
        let title = "row \(difference.position), \(Self.title(difference.session))\(time ?? "")"
        let line =
            "\(terminal.paint("different", .red)): \(title): \(TerminalSafe.escaped(difference.why))"
        guard difference.recorded != nil || difference.replayed != nil else { return [line] }
        return [line]
            + RecordText(journal, terminal)
            .lines(recorded: difference.recorded, replayed: difference.replayed)
    }

    /// To what a row belongs, in words. `session` is the row's session name; it is empty in the rows of the daemon itself.
    static func title(_ session: String) -> String {
        session.isEmpty ? "the daemon" : "session \(TerminalSafe.escaped(session))"
    }

    // MARK: JSON

    var json: [Member] {
        [
            Member("same", isSame), Member("rows", replay.counts.rows),
            Member("forgotten", replay.counts.forgotten),
            Member("changes", replay.changes), Member("firings", replay.counts.firings),
            Member("sessions", replay.scan.sessions), Member("restarts", restarts),
        ] + span.json + firstDefect
    }

    /// A member with the damaged row, or one with the first difference; empty if there is neither.
    private var firstDefect: [Member] {
        if let damage {
            return [
                Member(
                    "damage",
                    .object([
                        Member("position", damage.position),
                        Member("session", damage.session), Member("why", damage.why),
                    ]))
            ]
        }
        guard let difference else { return [] }
        let recorded = difference.recorded.map(RecordContent.init)
        let differingMembers = recorded.flatMap { recorded in
            difference.replayed.map { recorded.differences(from: RecordContent($0)).map(\.member) }
        }
        return [
            Member(
                "difference",
                .object([
                    Member("position", difference.position), Member("session", difference.session),
                    Member("why", difference.why),
                    Member("recorded", RecordText.json(difference.recorded)),
                    Member("derived", RecordText.json(difference.replayed)),
                    Member("members", .array((differingMembers ?? []).map { .string($0) })),
                ]))
        ]
    }
}
