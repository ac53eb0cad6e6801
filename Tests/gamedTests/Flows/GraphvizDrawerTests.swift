import EventLoop
import Glibc
import Shards
import Shell
import Synchronization
import Testing
import Timers

@testable import GamedServer

/// The queue of diagrams to draw. Graphviz is replaced by a function of the test.
@Suite struct GraphvizDrawerTests {
    private let loop: LibeventLoop

    init() throws { loop = try LibeventLoop() }

    /// Counts the calls of a drawing function. A call for a large diagram waits until the test lets it end.
    private final class Calls: Sendable {
        let count = Mutex(0)
        private let gate: (reading: Int32, writing: Int32)

        init() {
            var ends: [Int32] = [0, 0]
            precondition(pipe(&ends) == 0)
            gate = (ends[0], ends[1])
        }

        deinit {
            close(gate.reading)
            close(gate.writing)
        }

        func wait() {
            var byte: UInt8 = 0
            _ = read(gate.reading, &byte, 1)
        }

        func endWait() {
            var byte: UInt8 = 0
            _ = write(gate.writing, &byte, 1)
        }
    }

    private let small = "digraph {a}"
    private let large = "digraph {a}" + String(repeating: " ", count: GraphvizDrawer.largeSize)

    /// Runs the loop until the condition holds, at most two minutes.
    private func run(until condition: () -> Bool) {
        var isTimeOver = false
        let timeout = ScopedCountdown(on: loop, .seconds(120)) { isTimeOver = true }
        let poll = ScopedPendulum(on: loop, .milliseconds(1)) { [loop] _ in loop.stop() }
        while !condition(), !isTimeOver { loop.run() }
        withExtendedLifetime((timeout, poll)) {}
    }

    @Test
    func `a diagram that took too long is not drawn again, and does not delay small diagrams`()
        throws
    {
        let calls = Calls()
        let drawer = GraphvizDrawer(on: loop) { [large] dot in
            calls.count.withLock { $0 += 1 }
            guard dot == large else { return .success(Array("<svg/>".utf8)) }
            calls.wait()
            return .failure(Graphviz.DrawingError(why: "too long", tookTooLong: true))
        }
        var largeResult: String?
        var smallResult: String?
        drawer.draw(large) { largeResult = $0 ?? $1 }
        drawer.draw(small) { smallResult = $0 ?? $1 }
        run { smallResult != nil }
        #expect(smallResult == "<svg/>" && largeResult == nil)
        calls.endWait()
        run { largeResult != nil }
        #expect(largeResult == "too long")
        // The result is known: `draw` calls its argument before it returns.
        largeResult = nil
        drawer.draw(large) { largeResult = $0 ?? $1 }
        #expect(largeResult == "too long")
        let callCount = calls.count.withLock { $0 }
        #expect(callCount == 2)
    }

    @Test func `a diagram that failed for another reason is drawn again`() throws {
        let calls = Calls()
        let drawer = GraphvizDrawer(on: loop) { _ in
            let count = calls.count.withLock {
                $0 += 1
                return $0
            }
            return count == 1
                ? .failure(Graphviz.DrawingError(why: "no program")) : .success(Array("x".utf8))
        }
        for expected in ["no program", "x"] {
            var result: String?
            drawer.draw(small) { result = $0 ?? $1 }
            run { result != nil }
            #expect(result == expected)
        }
    }
}
