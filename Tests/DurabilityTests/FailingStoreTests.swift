import Durability
import GameFlow
import JSONCoding
import Journal
import RPC
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

/// Many sessions and a store that fails at every append: all changes are rolled back, and no session is lost.
@Suite struct FailingStoreTests {
    /// Many durable game sessions on one clock.
    private final class ManyGames: GroupCommitDelegate {
        let sessions: Sessions
        let store = ManualStore()
        let groupCommit: GroupCommit
        private var retries: [() -> Void] = []

        init(_ clock: any TimerClock, _ count: Int) throws(RequestError) {
            sessions = Sessions(AnyFlow.shipped(), on: clock)
            groupCommit = GroupCommit(sessions, in: store)
            groupCommit.delegate = self
            let level = [Member("episode", 1), Member("level", 1)]
            for number in 0..<count {
                _ = try sessions.open(
                    SessionName("game-\(number)")!, sessions.flow("game"), state: "playingLevel",
                    data: level, RequestContext(from: Players.player))
            }
            groupCommit.flush()
            store.commit()
        }

        func holdTimers(_ isHeld: Bool) {}
        func retry(_ work: @escaping () -> Void) { retries.append(work) }
        func report(storageWorks: Bool, _ sentence: String) {}
        func storageIsBack(undone: [Sessions.UndoneOpening]) {}

        /// The encoded status of every session.
        var statuses: [[UInt8]] {
            let encoder = Encoder()
            return sessions.all.map { session in
                JSONWriter.bytes { encoder.write(session.status, .full, to: &$0) }
            }
        }

        /// Sends events to each session and closes every fifth; returns the number of accepted events.
        func sendEvents() -> Int {
            var acceptedCount = 0
            let context = RequestContext(from: Players.player)
            for (number, session) in sessions.all.enumerated() {
                let events = number % 3 == 0 ? ["pause", "resume"] : ["returnHome"]
                for event in events {
                    let change = try? sessions.send(event, to: session, context)
                    acceptedCount += change == nil ? 0 : 1
                }
                if number % 5 == 0 { _ = try? sessions.close(session, context) }
            }
            return acceptedCount
        }

        /// Makes the commit of the pending rows fail, and starts the recovery of the store.
        func failCommit() {
            groupCommit.flush()
            store.fail()
            for retry in exchange(&retries, with: []) { retry() }
        }

        func end() {
            sessions.recorder = nil
            for session in sessions.all { session.machine.end() }
        }
    }

    @Test(arguments: [true, false])
    func `a change that could not be stored is rolled back, on a virtual and on a real clock`(
        _ isVirtual: Bool
    ) throws {
        let count = TestLength.count(300, long: 30_000)
        let virtualClock = VirtualClock()
        // `ReplayClock` is not a virtual clock, so the sessions treat it like a real clock.
        let games = try ManyGames(isVirtual ? virtualClock : ReplayClock(), count)
        let before = games.statuses
        for round in 1...3 {
            // Each session takes an event, and some take two.
            #expect(games.sendEvents() > count)
            if isVirtual { _ = try games.sessions.advance(.by(.seconds(100))) }
            games.failCommit()
            let duringFailure = games.statuses
            #expect(duringFailure.count == count)
            #expect(duringFailure.allSatisfy { $0.count > 100 })
            #expect(games.sendEvents() == 0, "every change is refused while the store fails")
            games.store.completeRecovery(works: true)
            #expect(games.statuses == before, "round \(round)")
            #expect(games.sessions.pos == count)
        }
        // Changes that are committed now are not rolled back.
        #expect(games.sendEvents() > count)
        games.groupCommit.flush()
        games.store.commit()
        #expect(games.statuses != before)
        games.end()
        #expect(virtualClock.timerQueue.count == 0)
    }
}
