import Durability
import GameFlow
import Sessions
import ShippedFlows
import Testing
import Timers

/// A gate holds requests while the lease of a store is not trusted (`mayServe` returns false), and refuses them while the store
/// fails.
@Suite struct RequestGateTests {
    private let store = ManualStore()
    private let sessions: Sessions
    private let groupCommit: GroupCommit
    private let gate: RequestGate

    init() {
        sessions = Sessions([AnyFlow(Game())], on: VirtualClock())
        groupCommit = GroupCommit(sessions, in: store)
        gate = RequestGate(groupCommit)
    }

    /// The decisions of the gate about the requests, in the order in which it made them.
    private final class DecisionLog { var lines: [String] = [] }

    private func pass(_ name: String, _ log: DecisionLog) {
        gate.pass { decision in
            switch decision {
            case .execute: log.lines.append(name)
            case .refuse: log.lines.append("\(name) refused")
            case .drop: log.lines.append("\(name) dropped")
            }
        }
    }

    @Test func `a request does not overtake one that was held`() {
        let log = DecisionLog()
        groupCommit.mayServe = { false }
        pass("first", log)
        groupCommit.mayServe = { true }
        // The lease is trusted again, but `retry` was not called yet.
        pass("second", log)
        #expect(log.lines == [])
        gate.retry()
        pass("third", log)
        #expect(log.lines == ["first", "second", "third"])
    }

    @Test func `held requests are refused when the store fails`() throws {
        let log = DecisionLog()
        groupCommit.mayServe = { false }
        pass("first", log)
        _ = try sessions.open(.main, AnyFlow(Game()), RequestContext(from: .program))
        groupCommit.flush()
        store.fail()
        gate.retry()
        pass("second", log)
        #expect(log.lines == ["first refused", "second refused"])
        groupCommit.end()
    }

    @Test func `a closed gate holds requests, and never executes those that it discards`() {
        let log = DecisionLog()
        gate.isClosed = true
        pass("first", log)
        gate.retry()
        #expect(log.lines == [])
        gate.discard()
        gate.isClosed = false
        pass("second", log)
        #expect(log.lines == ["first dropped", "second"])
    }
}
