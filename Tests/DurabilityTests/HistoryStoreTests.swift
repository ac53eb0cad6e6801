import Durability
import GameFlow
import Journal
import Sessions
import ShippedFlows
import Testing
import Timers

/// A store in memory that holds the results of queries until the test calls `completeQueries()`.
private final class DelayedQueryStore: MemoryStore {
    private var waiting: [() -> Void] = []

    override func find(
        _ query: JournalQuery, _ done: @escaping (Result<JournalPage, StoreError>) -> Void
    ) {
        super.find(query) { [unowned self] found in waiting.append { done(found) } }
    }

    func completeQueries() { for complete in exchange(&waiting, with: []) { complete() } }
}

@Suite struct HistoryStoreTests {
    @Test func `history does not show refusals that depend on a change that is not durable`()
        throws
    {
        let sessions = Sessions([AnyFlow(Game())], on: VirtualClock())
        let store = DelayedQueryStore()
        let groupCommit = GroupCommit(sessions, in: store)
        let main = try sessions.open(
            .main, sessions.flow("game"), RequestContext(from: Players.player))
        var recordsBefore: [Sessions.Record] = []
        var recordsAfter: [Sessions.Record] = []
        groupCommit.history(of: main, from: .init(), limit: 10) {
            recordsBefore = (try? $0.get())?.records ?? []
        }
        _ = try sessions.send("displayHelp", to: main, RequestContext(from: Players.player))
        let refused = RequestError.noTransition(
            event: "pause", state: "help", accepts: ["dismissHelp", "returnHome"],
            last: main.last.map { LastChange($0) })
        #expect(throws: refused) {
            try sessions.send("pause", to: main, RequestContext(from: Players.player))
        }
        store.completeQueries()
        #expect(recordsBefore.count == 1)
        groupCommit.history(of: main, from: .init(), limit: 10) {
            recordsAfter = (try? $0.get())?.records ?? []
        }
        store.completeQueries()
        #expect(recordsAfter.count == 3)
    }

    @Test func `sixteen history requests wait for the store, and one more is refused`() throws {
        let sessions = Sessions([AnyFlow(Game())], on: VirtualClock())
        let store = DelayedQueryStore()
        let groupCommit = GroupCommit(sessions, in: store)
        let main = try sessions.open(
            .main, sessions.flow("game"), RequestContext(from: Players.player))
        var answers: [String] = []
        func requestHistory() {
            groupCommit.history(of: main, from: .init(), limit: 10) {
                switch $0 {
                case .success: answers.append("page")
                case .failure(.limit(let which, let limit)): answers.append("\(which) \(limit)")
                case .failure(let error): answers.append("\(error)")
                }
            }
        }
        for _ in 1...17 { requestHistory() }
        #expect(answers == ["historyQueries 16"])
        store.completeQueries()
        #expect(answers.dropFirst() == Array(repeating: "page", count: 16)[...])
        requestHistory()
        store.completeQueries()
        #expect(answers.count == 18 && answers.last == "page")
    }

    @Test func `history contains the open session only, not an earlier one of that name`()
        throws
    {
        let sessions = Sessions([AnyFlow(Game())], on: VirtualClock())
        let groupCommit = GroupCommit(sessions, in: MemoryStore())
        var main = try sessions.open(
            .main, sessions.flow("game"), RequestContext(from: Players.player))
        for event in ["displayHelp", "dismissHelp"] {
            _ = try sessions.send(event, to: main, RequestContext(from: Players.player))
        }
        try sessions.close(main, RequestContext(from: Players.player))
        groupCommit.flush()
        main = try sessions.open(.main, sessions.flow("game"), RequestContext(from: Players.player))
        var pages: [Sessions.HistoryPage] = []
        groupCommit.history(of: main, from: .init(before: 9), limit: 10) {
            if case .success(let page) = $0 { pages.append(page) }
        }
        #expect(pages.map(\.records.count) == [1] && pages[0].next == nil)
    }
}
