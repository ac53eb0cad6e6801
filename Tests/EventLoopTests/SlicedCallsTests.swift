import EventLoop
import Testing
import Timers

@Suite struct SlicedCallsTests {
    private let loop: LibeventLoop

    init() throws { loop = try LibeventLoop() }

    @Test func `calls within the slice are made at once`() {
        let calls = SlicedCalls(.longest, on: loop)
        var made: [Int] = []
        for number in 1...3 { calls.add { made.append(number) } }
        #expect(made == [1, 2, 3])
    }

    @Test func `the others are made in later turns, one turn for each slice, in their order`() {
        let calls = SlicedCalls(.nanoseconds(1), on: loop)
        var (made, turns): ([Int], Int) = ([], 0)
        loop.beforeSleep = { [loop] in
            turns += 1
            if made.count == 4 { loop.stop() }
            return false
        }
        for number in 1...4 { calls.add { made.append(number) } }
        #expect(made == [1])
        loop.run()
        #expect(made == [1, 2, 3, 4])
        #expect(turns >= 4)
    }

    @Test func `a call that is added while others wait is made after them`() {
        let calls = SlicedCalls(.nanoseconds(1), on: loop)
        var made: [Int] = []
        calls.add { made.append(1) }
        calls.add { [loop] in
            made.append(2)
            calls.add {
                made.append(4)
                loop.stop()
            }
        }
        calls.add { made.append(3) }
        loop.run()
        #expect(made == [1, 2, 3, 4])
    }
}
