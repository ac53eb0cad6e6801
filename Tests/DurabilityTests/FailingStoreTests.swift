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

/// A store that fails at every append, with many sessions: nothing of what was asked happens, and nothing is lost.
@Suite struct FailingStoreTests {
    /// Many games on one clock, all of them durable.
    private final class Hall: GroupCommitDelegate {
        let sessions: Sessions
        let store = ManualStore()
        let keeper: GroupCommit
        private var retries: [() -> Void] = []

        init(_ clock: any TimerClock, _ count: Int) throws(RequestError) {
            sessions = Sessions(AnyFlow.shipped(), on: clock)
            keeper = GroupCommit(sessions, in: store)
            keeper.delegate = self
            let level = [Member("episode", 1), Member("level", 1)]
            for number in 0..<count {
                _ = try sessions.open(
                    SessionName("game-\(number)")!, sessions.flow("game"), state: "playingLevel",
                    data: level, RequestContext(from: Players.player))
            }
            keeper.flush()
            store.commit()
        }

        func holdTimers(_ isHeld: Bool) {}
        func retry(_ work: @escaping () -> Void) { retries.append(work) }
        func report(storageWorks: Bool, _ sentence: String) {}
        func storageIsBack(undone: [Sessions.UndoneOpening]) {}

        /// What clients see of all sessions.
        var shown: [[UInt8]] {
            let encoder = Encoder()
            return sessions.list(limit: .max - 1).sessions.map { session in
                JSONWriter.bytes { encoder.write(session.status, .full, to: &$0) }
            }
        }

        /// Asks for a change of each session, some of several; returns how many were made.
        func play() -> Int {
            var changes = 0
            let context = RequestContext(from: Players.player)
            for (number, session) in sessions.list(limit: .max - 1).sessions.enumerated() {
                let events = number % 3 == 0 ? ["pause", "resume"] : ["returnHome"]
                for event in events {
                    changes += (try? sessions.send(event, to: session, context)) == nil ? 0 : 1
                }
                if number % 5 == 0 { _ = try? sessions.close(session, context) }
            }
            return changes
        }

        /// The store fails, and is tried until it works again.
        func fail() {
            keeper.flush()
            store.fail()
            for retry in exchange(&retries, with: []) { retry() }
        }

        func end() {
            sessions.recorder = nil
            for session in sessions.list(limit: .max - 1).sessions { session.machine.end() }
        }
    }

    @Test(arguments: [true, false])
    func `a change that could not be stored is rolled back, on a virtual and on a real clock`(
        _ isVirtual: Bool
    ) throws {
        let count = TestLength.count(300, long: 100_000)
        let virtual = VirtualClock()
        let hall = try Hall(isVirtual ? virtual : ReplayClock(), count)
        let before = hall.shown
        for round in 1...3 {
            #expect(hall.play() > count)
            if isVirtual { _ = try hall.sessions.advance(.by(.seconds(100))) }
            hall.fail()
            let out = hall.shown
            #expect(out.count == count)
            #expect(out.allSatisfy { $0.count > 100 })
            #expect(hall.play() == 0, "every change is refused while the store is out")
            hall.store.recover(true)
            #expect(hall.shown == before, "round \(round)")
            #expect(hall.sessions.pos == count)
        }
        // What is acknowledged now stays.
        #expect(hall.play() > count)
        hall.keeper.flush()
        hall.store.commit()
        #expect(hall.shown != before)
        hall.end()
        #expect(virtual.timerQueue.count == 0)
    }
}
