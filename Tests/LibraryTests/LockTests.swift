import FlowAnalysis
import GameFlow
import GameFlowTesting
import TestSupport
import Testing
import Timers

/// The lock of the tutorial, and the tutorial itself.
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

    @Test func `the flow has no defects`() {
        #expect(Lock().lint().isEmpty)
        #expect(Lock().races().isEmpty)
    }

    @Test func `the tutorial contains the code of the lock`() {
        func lines(_ text: String) -> [String] {
            text.split(separator: "\n").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
        }
        let page = RepositoryFile.text("Sources/GameFlow/GameFlow.docc/GettingStarted.md")
        let blocks = page.components(between: "```swift\n", and: "```")
        let code = blocks.filter { $0.contains("Lock") || $0.hasPrefix("    public") }
            .filter { !$0.contains("GameFlowTesting") && !$0.hasPrefix("let lock") }
        let source = RepositoryFile.text("Tests/LibraryTests/Lock.swift")
        // The formatter breaks long lines; only the characters count.
        #expect(lines(code.joined()).joined() == lines(source).joined())
    }
}

extension String {
    /// The parts between two marks, in order.
    fileprivate func components(between start: String, and end: String) -> [String] {
        var parts: [String] = []
        var rest = self[...]
        while let from = rest.firstRange(of: start) {
            rest = rest[from.upperBound...]
            guard let to = rest.firstRange(of: end) else { break }
            parts.append(String(rest[..<to.lowerBound]))
            rest = rest[to.upperBound...]
        }
        return parts
    }
}
