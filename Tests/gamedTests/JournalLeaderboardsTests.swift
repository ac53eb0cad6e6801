import Durability
import EventLoop
import GameFlow
import Journal
import RPC
import Sessions
import ShippedFlows
import StatisticsPart
import TestSupport
import Testing
import Timers

@testable import GamedServer

/// The leaderboards that a daemon computes from its journal, with a store whose reads a test delays.
@Suite struct JournalLeaderboardsTests {
    /// A store that delays all reads until `releaseReads` is called.
    private final class SlowStore: MemoryStore {
        private var delayedReads: [() -> Void] = []
        /// The number of reads that were executed.
        private(set) var readCount = 0
        var isBroken = false

        override func walk(
            after position: Int, limit: Int,
            _ done: @escaping (Result<[JournalRow], StoreError>) -> Void
        ) {
            delayedReads.append { [self] in
                readCount += 1
                if isBroken { return done(.failure(StoreError(.other, why: "the disk is gone"))) }
                readAtOnce(after: position, limit: limit, done)
            }
        }

        private func readAtOnce(
            after position: Int, limit: Int,
            _ done: @escaping (Result<[JournalRow], StoreError>) -> Void
        ) { super.walk(after: position, limit: limit, done) }

        var hasDelayedReads: Bool { !delayedReads.isEmpty }

        func releaseReads() {
            while !delayedReads.isEmpty { delayedReads.removeFirst()() }
        }
    }

    private let loop: LibeventLoop
    private let store = SlowStore()
    private let groupCommit: GroupCommit
    private let leaderboards: JournalLeaderboards
    private let sessions: Sessions
    private let requestContext = RequestContext(
        from: Source(.unix, peer: .process(pid: 1, uid: 2, gid: 3)))

    init() throws {
        loop = try LibeventLoop()
        sessions = Sessions(AnyFlow.shipped(), on: VirtualClock())
        groupCommit = GroupCommit(sessions, in: store)
        leaderboards = JournalLeaderboards(
            OwnJournal(sessions: sessions, store: store), sessions, on: loop)
        try play("a")
    }

    /// Records a finished game of the flow `quiz`.
    private func play(_ name: String) throws {
        let session = try sessions.open(SessionName(name)!, sessions.flow("quiz"), requestContext)
        try sessions.goto("finished", [Member("scores", .object([]))], session, requestContext)
        groupCommit.flush()
    }

    /// Lets the delayed reads happen, and then the work that continues in later turns of the loop because a turn took long.
    private func finishReads() {
        repeat {
            store.releaseReads()
            loop.run()
        } while store.hasDelayedReads
    }

    /// The answers to the requests for leaderboards, in the order in which they came.
    private final class AnswerList {
        var all: [Result<[Member], RequestError>] = []
        func add(_ answer: Result<[Member], RequestError>) { all.append(answer) }
    }

    /// Requests a leaderboard by the time in a state, or by the time of the whole game if `state` is nil. The answer is added
    /// to `answers`.
    private func requestLeaderboard(_ answers: AnswerList, during state: String? = nil) {
        leaderboards.leaderboard(
            of: LeaderboardSelection(flow: "quiz", timedStates: [state].compactMap(\.self)),
            visible: ObservableSessions(.everything),
            answers.add)
    }

    /// The number of rows in an answer; -1 if it has none.
    private func rowCount(_ answer: Result<[Member], RequestError>?) throws -> Int {
        guard case .array(let rows)? = try answer?.get()["rows"] else { return -1 }
        return rows.count
    }

    @Test func `the number of leaderboards that are read at the same time is limited`() throws {
        let answers = AnswerList()
        for number in 0..<JournalLeaderboards.limit {
            requestLeaderboard(answers, during: "s\(number)")
        }
        // A second request for the leaderboard `s0` waits for the reading that the first request has begun.
        requestLeaderboard(answers, during: "s0")
        #expect(answers.all.isEmpty)
        requestLeaderboard(answers, during: "other")
        #expect(throws: RequestError.limit(which: "leaderboards", limit: 8)) {
            try answers.all.last?.get()
        }
        finishReads()
        // The answers are the 8 leaderboards, the repetition of `s0`, and the refusal.
        #expect(answers.all.count == 10)
        // Now no leaderboard is being read, so a new leaderboard replaces an old leaderboard.
        requestLeaderboard(answers, during: "other")
        finishReads()
        #expect(try rowCount(answers.all.last) == 1)
    }

    @Test func `a repeated request reads only new rows`() throws {
        let answers = AnswerList()
        requestLeaderboard(answers)
        finishReads()
        let readCount = store.readCount
        requestLeaderboard(answers)
        finishReads()
        #expect(answers.all.count == 2)
        #expect(store.readCount == readCount)
        try play("b")
        requestLeaderboard(answers)
        finishReads()
        #expect(store.readCount == readCount + 1)
        #expect(try answers.all.map { try rowCount($0) } == [1, 1, 2])
    }

    @Test func `a failure of the store is reported, and the next request begins again`() throws {
        let answers = AnswerList()
        store.isBroken = true
        requestLeaderboard(answers)
        finishReads()
        #expect(throws: RequestError.storage(why: "the disk is gone", outcome: .undone)) {
            try answers.all.last?.get()
        }
        store.isBroken = false
        requestLeaderboard(answers)
        finishReads()
        #expect(try rowCount(answers.all.last) == 1)
    }

    @Test func `callers that may observe other sessions get other rows`() throws {
        try play("b")
        let answers = AnswerList()
        for rights in [
            Rights.everything, Rights([Grant(.observe, session: Glob("a*"))]), Rights.nothing,
            Rights([Grant(.observe, session: Glob("a*")), Grant(.play, session: Glob("b"))]),
            Rights.everything,
        ] {
            leaderboards.leaderboard(
                of: LeaderboardSelection(flow: "quiz"), visible: ObservableSessions(rights),
                answers.add)
        }
        finishReads()
        // The last question is equal to the first one, and is answered together with it.
        #expect(try answers.all.map { try rowCount($0) } == [2, 2, 1, 0, 2])
    }
}
