import Durability
import GameFlow
import Journal
import Sessions
import ShippedFlows
import Testing
import Timers

/// Rows in memory; who wants to read them waits until the test says so.
private final class SlowReader: MemoryStore {
    private var waiting: [() -> Void] = []

    override func find(
        _ query: JournalQuery, _ done: @escaping (Result<JournalPage, StoreError>) -> Void
    ) {
        super.find(query) { [unowned self] found in waiting.append { done(found) } }
    }

    func answer() { for answer in exchange(&waiting, with: []) { answer() } }
}

@Suite struct HistoryStoreTests {
    @Test func `history does not show refusals that depend on a change that is not durable`()
        throws
    {
        let sessions = Sessions([AnyFlow(Game())], on: VirtualClock())
        let store = SlowReader()
        let keeper = GroupCommit(sessions, in: store)
        let main = try sessions.open(
            .main, sessions.flow("game"), RequestContext(from: Players.player))
        var (early, late): ([Sessions.Record], [Sessions.Record]) = ([], [])
        keeper.history(of: main, from: .init(), limit: 10) {
            early = (try? $0.get())?.records ?? []
        }
        _ = try sessions.send("displayHelp", to: main, RequestContext(from: Players.player))
        let refused = RequestError.noTransition(
            event: "pause", state: "help", accepts: ["dismissHelp", "returnHome"],
            last: main.last.map { LastChange($0) })
        #expect(throws: refused) {
            try sessions.send("pause", to: main, RequestContext(from: Players.player))
        }
        store.answer()
        #expect(early.count == 1)
        keeper.history(of: main, from: .init(), limit: 10) { late = (try? $0.get())?.records ?? [] }
        store.answer()
        #expect(late.count == 3)
    }

    @Test func `sixteen history requests wait for the store, and one more is refused`() throws {
        let sessions = Sessions([AnyFlow(Game())], on: VirtualClock())
        let store = SlowReader()
        let keeper = GroupCommit(sessions, in: store)
        let main = try sessions.open(
            .main, sessions.flow("game"), RequestContext(from: Players.player))
        var answers: [String] = []
        func ask() {
            keeper.history(of: main, from: .init(), limit: 10) {
                switch $0 {
                case .success: answers.append("page")
                case .failure(.limit(let which, let limit)): answers.append("\(which) \(limit)")
                case .failure(let error): answers.append("\(error)")
                }
            }
        }
        for _ in 1...17 { ask() }
        #expect(answers == ["historyQueries 16"])
        store.answer()
        #expect(answers.dropFirst() == Array(repeating: "page", count: 16)[...])
        ask()
        store.answer()
        #expect(answers.count == 18 && answers.last == "page")
    }

    @Test func `history contains the open session only, not an earlier one of that name`()
        throws
    {
        let sessions = Sessions([AnyFlow(Game())], on: VirtualClock())
        let keeper = GroupCommit(sessions, in: MemoryStore())
        var main = try sessions.open(
            .main, sessions.flow("game"), RequestContext(from: Players.player))
        for event in ["displayHelp", "dismissHelp"] {
            _ = try sessions.send(event, to: main, RequestContext(from: Players.player))
        }
        try sessions.close(main, RequestContext(from: Players.player))
        keeper.flush()
        main = try sessions.open(.main, sessions.flow("game"), RequestContext(from: Players.player))
        var pages: [Sessions.HistoryPage] = []
        keeper.history(of: main, from: .init(before: 9), limit: 10) {
            if case .success(let page) = $0 { pages.append(page) }
        }
        #expect(pages.map(\.records.count) == [1] && pages[0].next == nil)
    }
}
