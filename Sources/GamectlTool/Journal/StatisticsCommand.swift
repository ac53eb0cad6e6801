import GameFlow
import Journal
import RPC
import Sessions
import Statistics
import Timers

/// Computes statistics of the games in a journal that no daemon has open, or in a database.
struct StatisticsCommand {
    private let options: StatisticsOptions
    /// The program's flows.
    private let flows: [AnyFlow]

    init(_ options: StatisticsOptions, _ flows: [AnyFlow]) {
        (self.options, self.flows) = (options, flows)
    }

    /// Reads the journals and returns the statistics, in the form of the result of the daemon's method `stats`.
    func report() throws(CommandError) -> [Member] {
        let journals = try OpenJournal.all(options.path)
        let selection = GameStatistics.Selection(
            flow: options.flow, since: try since(in: journals), without: options.without)
        let catalog = RecordedFlows.catalog(flows)
        var games = GameStatistics(
            selection, hintEvents: catalog.hintEvents(of:))
        for journal in journals { try add(journal, catalog, to: &games) }
        return selection.members(zone: ClockZone.system.name)
            + games.report(catalog.flow(of:)).members()
    }

    /// Adds the records of a journal to the statistics, and the flow files in it to the catalog. Damaged rows are left out.
    private func add(
        _ journal: OpenJournal, _ catalog: FlowCatalog, to games: inout GameStatistics
    ) throws(CommandError) {
        games.beginJournal()
        var reader = RecordReader()
        var exceededLimit: GameStatistics.LimitError?
        try rows(of: journal) { row in
            guard let record = reader.record(ifUndamaged: row) else { return true }
            if case .flowText(let name, let source) = record.body {
                catalog.addRecorded(source, of: name)
            }
            do throws(GameStatistics.LimitError) { try games.add(record) } catch {
                exceededLimit = error
            }
            return exceededLimit == nil
        }
        guard let exceededLimit else { return }
        throw .malformed([
            "more than \(exceededLimit.limit) (\(exceededLimit.which)): choose a flow or a later since="
        ])
    }

    /// The instant of `since=`; nil if it is not given. A number is an instant in milliseconds of the daemon's clock; a
    /// duration is counted back from the newest undamaged row of all journals. A date is one of the system's time zone.
    private func since(in journals: [OpenJournal]) throws(CommandError) -> Instant? {
        guard let text = options.since else { return nil }
        if let ms = Int(text) { return InstantText.read(milliseconds: ms) }
        var newest: Int64 = 0
        for journal in journals {
            try rows(of: journal) { row in
                if row.flaw == nil { newest = max(newest, row.atNs) }
                return true
            }
        }
        return InstantText.read(
            text, before: Instant(nanoseconds: newest), on: CivilClock(.system))
    }

    /// Calls `readRow` with each row, in order, until `readRow` returns false.
    private func rows(of journal: OpenJournal, _ readRow: (JournalRow) -> Bool)
        throws(CommandError)
    {
        do throws(StoreError) { try journal.rows(progress: "counting", readRow) } catch {
            throw OpenJournal.failure(error, options.path)
        }
    }
}
