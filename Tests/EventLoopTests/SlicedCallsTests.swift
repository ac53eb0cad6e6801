import EventLoop
import Glibc
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

    @Test func `a slice of zero makes one call in each turn`() {
        let calls = SlicedCalls(.zero, on: loop)
        var made: [Int] = []
        for number in 1...3 {
            calls.add { [loop] in
                made.append(number)
                if number == 3 { loop.stop() }
            }
        }
        #expect(made == [])
        loop.run()
        #expect(made == [1, 2, 3])
    }

    @Test func `a call that releases the object cancels those that wait`() {
        var (sliced, later): (SlicedCalls?, LaterCalls?) = (
            SlicedCalls(.zero, on: loop), LaterCalls(on: loop)
        )
        var made: [Int] = []
        for number in 1...3 {
            sliced?.add {
                made.append(number)
                sliced = nil
            }
            later?.add {
                made.append(10 * number)
                later = nil
            }
        }
        var turns = 0
        let end = ScopedPendulum(on: loop, .milliseconds(1)) { [loop] _ in
            turns += 1
            if turns == 5 { loop.stop() }
        }
        loop.run()
        #expect(made.sorted() == [1, 10])
        withExtendedLifetime(end) {}
    }

    @Test func `a descriptor that cannot be watched is an error`() throws {
        let file = open("/proc/self/exe", O_RDONLY)
        defer { close(file) }
        for descriptor in [-1, 999_999, file] as [Int32] {
            #expect(throws: EventLoopError.self) {
                try DescriptorWatcher(descriptor, .readable, on: loop) {}
            }
        }
    }

    @Test func `a clock of a loop that was released goes on without it`() {
        var loop: LibeventLoop? = try? LibeventLoop()
        let clock = loop.map { LoopClock(on: $0) }
        var fired = 0
        let timer = clock.map { ScopedCountdown(on: $0, .zero) { fired += 1 } }
        loop = nil
        _ = loop
        clock?.fireDueTimers()
        clock?.catchUp()
        clock?.end()
        #expect(fired == 1)
        withExtendedLifetime(timer) {}
    }
}
