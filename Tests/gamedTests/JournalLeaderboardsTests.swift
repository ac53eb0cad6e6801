import Durability
import EventLoop
import GameFlow
import Journal
import RPC
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import GamedServer

/// The leaderboards that a daemon computes from its journal, with a store whose reads a test delays.
@Suite struct JournalLeaderboardsTests {
    /// A store that delays all reads until `release`.
    private final class SlowStore: MemoryStore {
        private var held: [() -> Void] = []
        private(set) var pages = 0
        var isBroken = false

        override func walk(
            after position: Int, limit: Int,
            _ done: @escaping (Result<[JournalRow], StoreError>) -> Void
        ) {
            held.append { [self] in
                pages += 1
                if isBroken { return done(.failure(StoreError(.other, why: "the disk is gone"))) }
                read(after: position, limit: limit, done)
            }
        }

        private func read(
            after position: Int, limit: Int,
            _ done: @escaping (Result<[JournalRow], StoreError>) -> Void
        ) { super.walk(after: position, limit: limit, done) }

        func release() {
            while !held.isEmpty { held.removeFirst()() }
        }
    }

    private let store = SlowStore()
    private let groupCommit: GroupCommit
    private let leaderboards: JournalLeaderboards
    private let sessions: Sessions
    private let host = RequestContext(from: Source(.unix, peer: .process(pid: 1, uid: 2, gid: 3)))

    init() throws {
        sessions = Sessions(AnyFlow.shipped(), on: VirtualClock())
        groupCommit = GroupCommit(sessions, in: store)
        leaderboards = JournalLeaderboards(
            OwnJournal(groupCommit: groupCommit, store: store), sessions, on: try LibeventLoop())
        try play("a")
    }

    private func play(_ name: String) throws {
        let session = try sessions.open(SessionName(name)!, sessions.flow("quiz"), host)
        try sessions.goto("finished", [Member("scores", .object([]))], session, host)
        groupCommit.flush()
    }

    private final class Answers {
        var all: [Result<[Member], RequestError>] = []
        func take(_ answer: Result<[Member], RequestError>) { all.append(answer) }
    }

    private func ask(_ answers: Answers, during state: String? = nil) {
        leaderboards.leaderboard(
            of: LeaderboardSelection(flow: "quiz", timed: state), mayShow: { _ in true },
            answers.take)
    }

    private func rows(_ answer: Result<[Member], RequestError>?) throws -> Int {
        guard case .array(let rows)? = try answer?.get()["rows"] else { return -1 }
        return rows.count
    }

    @Test func `the number of leaderboards that are read at the same time is limited`() throws {
        let answers = Answers()
        for number in 0..<JournalLeaderboards.limit { ask(answers, during: "s\(number)") }
        // A repeated request needs no further leaderboard.
        ask(answers, during: "s0")
        #expect(answers.all.isEmpty)
        ask(answers, during: "other")
        #expect(throws: RequestError.limit(which: "leaderboards", limit: 8)) {
            try answers.all.last?.get()
        }
        store.release()
        #expect(answers.all.count == 10)
        // A leaderboard that is not being read is replaced.
        ask(answers, during: "other")
        store.release()
        #expect(try rows(answers.all.last) == 1)
    }

    @Test func `a repeated request reads only new rows`() throws {
        let answers = Answers()
        ask(answers)
        store.release()
        let pages = store.pages
        ask(answers)
        #expect(answers.all.count == 2)
        #expect(store.pages == pages)
        try play("b")
        ask(answers)
        store.release()
        #expect(store.pages == pages + 1)
        #expect(try answers.all.map { try rows($0) } == [1, 1, 2])
    }

    @Test func `a failure of the store is reported, and the next request begins again`() throws {
        let answers = Answers()
        store.isBroken = true
        ask(answers)
        store.release()
        #expect(throws: RequestError.storage(why: "the disk is gone", outcome: .undone)) {
            try answers.all.last?.get()
        }
        store.isBroken = false
        ask(answers)
        store.release()
        #expect(try rows(answers.all.last) == 1)
    }
}
