import FlowAnalysis
import GameFlow
import GameFlowTesting
import Lock
import Testing
import Timers

/// The lock of the tutorial.
@Suite struct LockTests {
    @Test func `three wrong codes block the lock for five minutes`() throws {
        let test = MachineTest(Lock())
        for _ in 0..<3 { try test.send(.enter(code: "1234")) }
        test.expect(.blocked)
        test.expectRefusal(.enter(code: "0451"), .noTransition)
        test.after(.minutes(5))
        test.expect(.closed, ["tries": 0])
    }

    @Test func `the right code opens the lock, which closes by itself`() throws {
        let test = MachineTest(Lock())
        try test.send(.enter(code: "0451"))
        test.expect(.open)
        test.after(.seconds(10))
        test.expect(.closed)
        test.expectTimers()
    }

    @Test func `a program draws the flow`() {
        #expect(Diagram(AnyFlow(Lock())).text(.mermaid).contains("closed --> open"))
    }

    @Test func `the flow has no defects`() {
        #expect(Lock().lint().isEmpty)
        #expect(Lock().races().isEmpty)
    }
}
