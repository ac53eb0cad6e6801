import EventLoop
import Glibc
import Synchronization
import Testing
import Timers

@Suite struct LibeventLoopTests {
    /// A pipe; its two ends are closed when it is released.
    private struct Pipe: ~Copyable {
        let read: Int32
        let write: Int32
        init() {
            var ends: [Int32] = [0, 0]
            pipe(&ends)
            (read, write) = (ends[0], ends[1])
        }
        deinit {
            close(read)
            close(write)
        }
    }

    @Test func `the closure of a descriptor is called when the descriptor is readable`() throws {
        let loop = try LibeventLoop()
        let pipe = Pipe()
        let readEnd = pipe.read
        var receivedBytes: [UInt8] = []
        let handle = try DescriptorWatcher(readEnd, .readable, on: loop) {
            var byte: UInt8 = 0
            Glibc.read(readEnd, &byte, 1)
            receivedBytes.append(byte)
            if receivedBytes.count == 3 { loop.stop() }
        }
        Glibc.write(pipe.write, [1, 2, 3] as [UInt8], 3)
        loop.run()
        #expect(receivedBytes == [1, 2, 3])
        withExtendedLifetime(handle) {}
    }

    @Test
    func
        `the closure of a disabled descriptor is not called, and the bytes wait until it is enabled`()
        throws
    {
        let loop = try LibeventLoop()
        let pipe = Pipe()
        var calls = 0
        let handle = try DescriptorWatcher(pipe.read, .readable, on: loop, isEnabled: false) {
            calls += 1
            loop.stop()
        }
        Glibc.write(pipe.write, [1] as [UInt8], 1)
        let timeout = ScopedCountdown(on: loop, .milliseconds(2)) { loop.stop() }
        loop.run()
        #expect(calls == 0)
        handle.enable()
        loop.run()
        #expect(calls == 1)
        withExtendedLifetime(timeout) {}
    }

    @Test func `the handle of a descriptor can be released by its own closure`() throws {
        let loop = try LibeventLoop()
        let pipe = Pipe()
        var handle: DescriptorWatcher?
        var calls = 0
        handle = try DescriptorWatcher(pipe.read, .readable, on: loop) {
            calls += 1
            handle = nil
        }
        Glibc.write(pipe.write, [1] as [UInt8], 1)
        loop.run()  // returns, because no event is registered any more
        #expect(calls == 1)
        #expect(handle == nil)
    }

    @Test func `a closure that requests another call is called even if nothing is readable`() throws
    {
        let loop = try LibeventLoop()
        let pipe = Pipe()
        var calls = 0
        var handle: DescriptorWatcher?
        handle = try DescriptorWatcher(pipe.read, .readable, on: loop) {
            calls += 1
            if calls < 5 { handle?.callAgain() } else { loop.stop() }
        }
        handle?.callAgain()
        loop.run()
        #expect(calls == 5)
    }

    @Test
    func
        `a watcher that is enabled after callAgain makes the requested call and watches the descriptor`()
        throws
    {
        let loop = try LibeventLoop()
        let pipe = Pipe()
        var calls = 0
        var handle: DescriptorWatcher?
        handle = try DescriptorWatcher(pipe.read, .readable, on: loop, isEnabled: false) {
            calls += 1
            // `callAgain` causes the first call and the second; the byte in the pipe causes the third.
            switch calls {
            case 1:
                handle?.callAgain()
                handle?.enable()
            case 2: Glibc.write(pipe.write, [7] as [UInt8], 1)
            default: loop.stop()
            }
        }
        handle?.callAgain()
        let timeout = ScopedCountdown(on: loop, .seconds(10)) { loop.stop() }
        loop.run()
        #expect(calls == 3)
        withExtendedLifetime(timeout) {}
    }

    @Test
    func `a deferred task runs once in the next turn, and not at all if it is released`()
        throws
    {
        let loop = try LibeventLoop()
        var order: [String] = []
        var released: DeferredTask?
        let releasing = DeferredTask(on: loop) {
            order.append("releasing")
            released = nil
            loop.stop()
        }
        let first = DeferredTask(on: loop) { order.append("first") }
        released = DeferredTask(on: loop) { order.append("released") }
        first.call()
        first.call()
        releasing.call()
        released?.call()
        loop.run()
        #expect(order == ["first", "releasing"])
    }

    @Test func `a deferred task that is called again runs in the next turn`() throws {
        let loop = try LibeventLoop()
        var order: [String] = []
        loop.beforeSleep = {
            order.append("turn")
            return false
        }
        var runs = 0
        var task: DeferredTask?
        task = DeferredTask(on: loop) {
            order.append("task")
            runs += 1
            if runs < 3 { task?.call() } else { loop.stop() }
        }
        task?.call()
        loop.run()
        #expect(order == ["turn", "task", "turn", "task", "turn", "task"])
        task = nil
    }

    @Test func `a timer that becomes due during a callback fires before the next callback`() throws
    {
        let clock = SystemClock()
        let loop = try LibeventLoop(clock)
        let pipe = Pipe()
        var order: [String] = []
        let timer = ScopedCountdown(on: loop, .seconds(1)) { order.append("timer") }
        // All descriptors are ready at once; each callback lasts as long as the timer.
        let watchers = try (1...3).map { _ in
            try DescriptorWatcher(pipe.read, .readable, on: loop) {
                order.append("callback")
                clock.skip(.seconds(1), computing: true)
                if order.count >= 4 { loop.stop() }
            }
        }
        Glibc.write(pipe.write, [1] as [UInt8], 1)
        loop.run()
        #expect(order == ["callback", "timer", "callback", "callback"])
        withExtendedLifetime((timer, watchers)) {}
    }

    @Test func `after a call of endTurn, the remaining deferred tasks run in the next turn`() throws
    {
        let loop = try LibeventLoop()
        var order: [String] = []
        // `beforeSleep` is called once in each turn, before its tasks.
        loop.beforeSleep = {
            order.append("turn")
            return false
        }
        let one = DeferredTask(on: loop) {
            order.append("one")
            loop.endTurn()
        }
        let two = DeferredTask(on: loop) {
            order.append("two")
            loop.stop()
        }
        one.call()
        two.call()
        loop.run()
        #expect(order == ["turn", "one", "turn", "two"])
    }

    @Test func `a turn that a timer has ended is complete when the rest of its callbacks have run`()
        throws
    {
        let clock = SystemClock()
        let loop = try LibeventLoop(clock)
        let pipe = Pipe()
        let start = loop.completeTurn
        let timer = ScopedCountdown(on: loop, .seconds(1)) {}
        // The callbacks that have run, and whether a turn was complete by then.
        var calls: [(watcher: Int, isLater: Bool)] = []
        let watchers = try (0..<3).map { number in
            try DescriptorWatcher(pipe.read, .readable, on: loop) {
                calls.append((number, loop.completeTurn > start))
                clock.skip(.seconds(1), computing: true)
                if calls.count == 7 { loop.stop() }
            }
        }
        Glibc.write(pipe.write, [1] as [UInt8], 1)
        loop.run()
        // The timer ends the first turn after one callback, and the second turn runs those of the two others first.
        #expect(Set(calls.prefix(3).map(\.watcher)) == [0, 1, 2])
        #expect(calls.prefix(3).allSatisfy { !$0.isLater })
        #expect(calls.last?.isLater == true)
        withExtendedLifetime((timer, watchers)) {}
    }

    @Test func `a signal is handled on the loop's thread`() throws {
        let loop = try LibeventLoop()
        var calls = 0
        let handle = try SignalHandle(SIGUSR2, on: loop) {
            calls += 1
            loop.stop()
        }
        kill(getpid(), SIGUSR2)
        loop.run()
        #expect(calls == 1)
        withExtendedLifetime(handle) {}
    }

    @Test func `messages from other threads arrive on the loop in order`() throws {
        let loop = try LibeventLoop()
        let inbox = try ThreadInbox<Int>()
        var received: [Int] = []
        let receiver = try inbox.open(on: loop) { message in
            received.append(message)
            if received.count == 1000 { loop.stop() }
        }
        var thread = pthread_t()
        let pointer = Unmanaged.passRetained(inbox).toOpaque()
        pthread_create(
            &thread, nil,
            { pointer in
                let inbox = Unmanaged<ThreadInbox<Int>>.fromOpaque(pointer!).takeRetainedValue()
                for number in 0..<1000 { inbox.send(number) }
                return nil
            }, pointer)
        loop.run()
        pthread_join(thread, nil)
        #expect(received == Array(0..<1000))
        withExtendedLifetime(receiver) {}
    }

    @Test func `the loop does not wait while beforeSleep has work left`() throws {
        let loop = try LibeventLoop()
        var remainingWork = 1000
        var order: [String] = []
        loop.beforeSleep = {
            remainingWork -= 1
            if remainingWork == 0 { loop.stop() }
            return remainingWork > 0
        }
        // Due before the work ends. It must fire between two pieces of the work.
        let timer = ScopedCountdown(on: loop, .zero) {
            order.append("timer, work left: \(remainingWork > 0)")
        }
        // Without the work, the loop would wait for this timer.
        let late = ScopedCountdown(on: loop, .seconds(3600)) {}
        loop.run()
        #expect(order == ["timer, work left: true"])
        #expect(remainingWork == 0)
        withExtendedLifetime((timer, late)) {}
    }

    @Test func `the loop calls beforeSleep before it waits`() throws {
        let loop = try LibeventLoop()
        var order: [String] = []
        var timer: ScopedCountdown?
        loop.beforeSleep = {
            order.append("beforeSleep")
            // Started here, because a timer that is due at the start of the loop fires before its first wait.
            if timer == nil {
                timer = ScopedCountdown(on: loop, .milliseconds(1)) {
                    order.append("timer")
                    loop.stop()
                }
            }
            return false
        }
        // Without this timer, a loop that never calls beforeSleep would not end.
        let end = ScopedCountdown(on: loop, .seconds(60)) { loop.stop() }
        loop.run()
        #expect(order.first == "beforeSleep")
        #expect(order.last == "timer")
        withExtendedLifetime((timer, end)) {}
    }

    @Test func `instants of the real clock are Unix times`() throws {
        let loop = try LibeventLoop()
        var unixTime = timespec()
        clock_gettime(CLOCK_REALTIME, &unixTime)
        #expect(abs(loop.now.milliseconds - Int64(unixTime.tv_sec) * 1000) < 5000)
    }

    @Test func `a repeated timer of zero duration does not delay descriptors`()
        throws
    {
        let loop = try LibeventLoop()
        let pipe = Pipe()
        var timers: [ScopedCountdown] = []
        var firings = 0
        func fireAgain() {
            firings += 1
            // Without this limit, the test would not end if the timers delayed the descriptor.
            if firings == 10_000 { return loop.stop() }
            timers = [ScopedCountdown(on: loop, .zero, fireAgain)]
        }
        fireAgain()
        var isRead = false
        let handle = try DescriptorWatcher(pipe.read, .readable, on: loop) {
            isRead = true
            loop.stop()
        }
        Glibc.write(pipe.write, [1] as [UInt8], 1)
        loop.run()
        #expect(isRead && firings < 10_000)
        withExtendedLifetime((handle, timers)) {}
    }

    @Test func `a turn of the loop is reported if it takes as long as the threshold`() throws {
        let clock = SystemClock()
        let loop = try LibeventLoop(clock)
        var reported: [Duration] = []
        loop.reportTurns(slowerThan: .seconds(3600)) { reported.append($0) }
        let timer = ScopedCountdown(on: loop, .milliseconds(1)) {
            // As if the turn had computed for two hours.
            clock.skip(.seconds(7200), computing: true)
        }
        loop.run()
        withExtendedLifetime(timer) {}
        #expect(reported.count == 1 && reported.allSatisfy { $0 >= .seconds(7200) })
    }
}
