import GameFlow
import JSON
import Journal
import Keeping
import Sessions
import Testing
import Timers

/// Rows in memory; who wants to read them waits until the test says so.
private final class SlowReader: Store {
    var broke: (_ why: String) -> Void = { _ in }
    private let rows = MemoryStore()
    private var waiting: [() -> Void] = []

    var epoch: Int { rows.epoch }
    func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
        rows.append(batch, done)
    }
    func recover(keeping position: JournalRow.Link, _ done: @escaping (_ why: String?) -> Void) {
        rows.recover(keeping: position, done)
    }
    func walk(
        from position: Int64, _ walk: JournalRow.Walk,
        _ done: @escaping (Result<[JournalRow], SQLiteError>) -> Void
    ) {
        rows.walk(from: position, walk) { [unowned self] found in waiting.append { done(found) } }
    }
    func backup(
        to path: String, _ done: @escaping (Result<BackupFacts, SQLiteError>) -> Void
    ) { rows.backup(to: path, done) }

    func answer() { for answer in exchange(&waiting, with: []) { answer() } }
}

@Suite struct ArchiveTests {
    @Test func `history does not show what was refused for a change that is not on the disk`()
        throws
    {
        let sessions = Sessions([AnyFlow(Game())], on: VirtualTime())
        let store = SlowReader()
        let keeper = Keeper(sessions, in: store)
        let main = try sessions.open(.main, sessions.flow("game"), from: Cast.player)
        var (early, late): ([Sessions.Record], [Sessions.Record]) = ([], [])
        keeper.history(of: main, from: .init(), limit: 10) {
            early = (try? $0.get())?.records ?? []
        }
        _ = try sessions.send("displayHelp", to: main, from: Cast.player)
        #expect(throws: RequestError.self) {
            try sessions.send("pause", to: main, from: Cast.player)
        }
        store.answer()
        #expect(early.count == 1)
        keeper.history(of: main, from: .init(), limit: 10) { late = (try? $0.get())?.records ?? [] }
        store.answer()
        #expect(late.count == 3)
    }
}
