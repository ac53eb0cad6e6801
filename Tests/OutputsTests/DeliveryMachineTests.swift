import Outputs
import Support
import Synchronization
import TestSupport
import Testing
import Timers

@Suite struct DeliveryMachineTests {
    private let start = Instant.zero

    private func output(
        _ id: String, to target: String = "lock", at committed: Instant = .zero,
        maxAge: Duration = DeliveryLimit.maxAge, isOnce: Bool = false, isMinor: Bool = false
    ) -> Output<Int> {
        Output(
            id: id, target: target, line: 0, committed: committed, maxAge: maxAge, isOnce: isOnce,
            isMinor: isMinor, content: 0)
    }

    private func ids(_ outputs: [Output<Int>]) -> [String] { outputs.map(\.id) }

    @Test func `outputs of one target are sent in order, one at a time; others do not wait`() {
        var machine = DeliveryMachine<Int>()
        for (id, target) in [("a", "lock"), ("b", "lock"), ("c", "light")] {
            machine.add(output(id, to: target), at: start)
        }
        #expect(ids(machine.due(at: start)) == ["a", "c"])
        #expect(ids(machine.due(at: start)) == [])
        machine.attemptEnded("a", of: "lock", .delivered, at: start)
        #expect(ids(machine.due(at: start)) == ["b"])
        machine.attemptEnded("b", of: "lock", .delivered, at: start)
        machine.attemptEnded("c", of: "light", .delivered, at: start)
        #expect(machine.waiting == 0)
        #expect(machine.nextWake == nil)
        #expect(machine.takeGivenUp().isEmpty)
    }

    @Test func `targets for which nothing waits are forgotten if there are many`() {
        var machine = DeliveryMachine<Int>()
        machine.add(output("waits", to: "t0"), at: start)
        for number in 1...1000 {
            let target = "t\(number)"
            machine.add(output(target, to: target), at: start)
            for due in machine.due(at: start) where due.target == target {
                machine.attemptEnded(due.id, of: target, .delivered, at: start)
            }
        }
        #expect(machine.targetCount <= DeliveryMachine<Int>.idleLimit + 1)
        machine.attemptEnded("waits", of: "t0", .delivered, at: start)
        #expect(machine.waiting == 0)
    }

    /// Advances the clock to each `nextWake`, and lets each attempt fail. Returns the seconds at which the output is tried, and
    /// why it is given up.
    private func attempts(_ output: Output<Int>, _ spread: RetrySpread = .none)
        -> (seconds: [Double], why: String?)
    {
        var machine = DeliveryMachine<Int>(spread: spread)
        machine.add(output, at: start)
        var seconds: [Double] = []
        while let wake = machine.nextWake {
            for due in machine.due(at: wake) {
                seconds.append(Double((wake - start).milliseconds) / 1000)
                machine.attemptEnded(due.id, of: due.target, .failed("refused"), at: wake)
            }
        }
        return (seconds, machine.takeGivenUp().first?.why)
    }

    @Test func `the attempts of daemons that lost one server are spread, and are as many`() {
        let random = Mutex(SeededRandom(1))
        let spread = RetrySpread { random.withLock { .random(in: 0..<1, using: &$0) } }
        var times: [[Double]] = [[], [], [], [], []]
        for _ in 0..<100 {
            let (seconds, why) = attempts(output("a"), spread)
            #expect(seconds.count == 5)
            #expect(why == "too old: refused")
            for (index, second) in seconds.enumerated() { times[index].append(second) }
        }
        // A pause is shorter by a quarter at most: the one before the third attempt has at most 1.25 s, the second 0.75 s early.
        for (index, range) in [0...0, 0.75...1, 1.6...2, 4.1...5, 8.5...10].enumerated() {
            #expect(times[index].allSatisfy(range.contains), "\(times[index])")
            #expect(index == 0 || Set(times[index]).count > 50)
        }
    }

    @Test func `an output is tried 0, 1, 2, 5 and 10 s after the commit, and then given up`() {
        // The last attempt is a little earlier, so that a timer that is a little late does not prevent it.
        let (seconds, why) = attempts(output("a"))
        #expect(seconds == [0, 1, 2, 5, 9.9])
        #expect(why == "too old: refused")
    }

    @Test(arguments: [1, 40, 2_000])
    func `an output whose change is older than its commit also gets the attempt of 10 s`(
        commitMs: Int
    ) {
        let made = start + .milliseconds(-commitMs)
        let last = Double(9_900 - commitMs) / 1000
        let (seconds, why) = attempts(output("a", at: start).made(at: made))
        #expect(seconds == [0, 1, 2, 5, last])
        #expect(why == "too old: refused")
        let spread = RetrySpread { 0.000_1 }
        #expect(attempts(output("a", at: start).made(at: made), spread).seconds.count == 5)
    }

    @Test func `an output whose commit has taken long is not tried after its maximal age`() {
        let made = start + .seconds(-4)
        #expect(attempts(output("a", at: start).made(at: made)).seconds == [0, 1, 2, 5])
    }

    @Test func `the last attempt is also made if the timer is late`() {
        var machine = DeliveryMachine<Int>()
        machine.add(output("a", at: start).made(at: start + .milliseconds(-3)), at: start)
        var count = 0
        while let wake = machine.nextWake {
            let now = wake + .milliseconds(20)
            for due in machine.due(at: now) {
                count += 1
                machine.attemptEnded(due.id, of: due.target, .failed("refused"), at: now)
            }
        }
        #expect(count == 5)
    }

    @Test func `after 10 s an output is tried every 10 s, and never after its maximal age`() {
        #expect(attempts(output("a", maxAge: .seconds(35))).seconds == [0, 1, 2, 5, 10, 20, 30])
        #expect(attempts(output("a", maxAge: .seconds(3))).seconds == [0, 1, 2])
    }

    @Test func `an output that may be sent only once is tried only once`() {
        let (seconds, why) = attempts(output("a", isOnce: true))
        #expect(seconds == [0])
        #expect(why == "tried once: refused")
    }

    @Test func `an attempt that takes too long is over, and its late end is ignored`() {
        var machine = DeliveryMachine<Int>()
        machine.add(output("a"), at: start)
        machine.add(output("b"), at: start)
        #expect(ids(machine.due(at: start)) == ["a"])
        #expect(machine.nextWake == start + .seconds(5))
        #expect(ids(machine.due(at: start + .seconds(5))) == [])
        machine.attemptEnded("a", of: "lock", .delivered, at: start + .seconds(6))
        #expect(machine.waiting == 2)
        #expect(ids(machine.due(at: start + .seconds(10))) == ["a"])
        machine.attemptEnded("a", of: "lock", .failed("x"), at: start + .seconds(11))
        // Output `b` is now too old as well, and it is given up without an attempt.
        #expect(ids(machine.due(at: start + .seconds(11))) == [])
        #expect(machine.takeGivenUp().map(\.output.id) == ["a", "b"])
        #expect(machine.nextWake == nil)
    }

    @Test func `an output is tried as soon as the slow output ahead of it is delivered`() {
        var machine = DeliveryMachine<Int>()
        machine.add(output("a"), at: start)
        machine.add(output("b"), at: start)
        _ = machine.due(at: start)
        let later = start + .milliseconds(3300)
        machine.attemptEnded("a", of: "lock", .delivered, at: later)
        #expect(ids(machine.due(at: later)) == ["b"])
        machine.attemptEnded("b", of: "lock", .failed("x"), at: later)
        #expect(machine.nextWake == start + .seconds(5))
    }

    @Test func `beyond the limit the oldest output that is not being sent is given up`() {
        var machine = DeliveryMachine<Int>()
        for number in 0..<DeliveryLimit.maxWaiting { machine.add(output("\(number)"), at: start) }
        #expect(ids(machine.due(at: start)) == ["0"])
        machine.add(output("new"), at: start)
        #expect(machine.takeGivenUp().map(\.output.id) == ["1"])
        #expect(machine.waiting(for: "lock") == DeliveryLimit.maxWaiting)
        machine.attemptEnded("0", of: "lock", .delivered, at: start)
        #expect(ids(machine.due(at: start)) == ["2"])
    }

    /// A minor output is one of low importance.
    @Test func `at most sixteen minor outputs wait, and they displace no other outputs`() {
        var machine = DeliveryMachine<Int>()
        for number in 0...DeliveryLimit.maxMinorWaiting {
            machine.add(output("m\(number)", isMinor: true), at: start)
        }
        #expect(machine.takeGivenUp().map(\.output.id) == ["m16"])
        #expect(ids(machine.due(at: start)) == ["m0"])
        machine.attemptEnded("m0", of: "lock", .delivered, at: start)
        machine.add(output("m17", isMinor: true), at: start)
        #expect(machine.waiting(for: "lock") == DeliveryLimit.maxMinorWaiting)
        for number in 0..<DeliveryLimit.maxWaiting - DeliveryLimit.maxMinorWaiting {
            machine.add(output("\(number)"), at: start)
        }
        // The queue is full. Output `m5` is given up, and output `last` gets its position. Only fifteen minor outputs wait now.
        // But `m18` would displace another output, so `m18` is given up.
        machine.giveUp("the session has ended") { $0.id == "m5" }
        machine.add(output("last"), at: start)
        machine.add(output("m18", isMinor: true), at: start)
        #expect(machine.takeGivenUp().map(\.output.id) == ["m5", "m18"])
    }

    @Test func `a rejected output is not tried again`() {
        var machine = DeliveryMachine<Int>()
        machine.add(output("a"), at: start)
        _ = machine.due(at: start)
        machine.attemptEnded("a", of: "lock", .rejected("410"), at: start)
        #expect(machine.takeGivenUp().map(\.why) == ["410"])
        #expect(machine.nextWake == nil)
    }

    @Test func `an output that is given up while being sent does not delay the next output`() {
        var machine = DeliveryMachine<Int>()
        machine.add(output("a"), at: start)
        machine.add(output("b"), at: start)
        _ = machine.due(at: start)
        machine.giveUp("its line was removed") { $0.id == "a" }
        machine.attemptEnded("a", of: "lock", .delivered, at: start)
        #expect(ids(machine.due(at: start)) == ["b"])
        #expect(machine.takeGivenUp().map(\.why) == ["its line was removed"])
    }

    @Test(arguments: seeds(200))
    func `every output is delivered in order or given up, and never tried too late`(seed: UInt64) {
        var random = SeededRandom(seed)
        var machine = DeliveryMachine<Int>()
        var (now, running, added, deliveredCount, givenUpCount) = (start, [Output<Int>](), 0, 0, 0)
        // The number of the newest delivered output of each target.
        var newestDelivered: [String: Int] = [:]
        for _ in 0..<300 {
            switch random.below(4) {
            case 0:
                let target = random.pick(["x", "y"])
                machine.add(output("\(target)\(added)", to: target, at: now), at: now)
                added += 1
            case 1: now = now + .milliseconds(random.below(2000))
            case 2:
                for due in machine.due(at: now) {
                    #expect(due.committedAt.map { now - $0 <= due.maxAge } == true)
                    running.append(due)
                }
            default:
                guard !running.isEmpty else { continue }
                let output = running.removeFirst()
                let result = random.below(2) == 0 ? DeliveryResult.delivered : .failed("x")
                let deliveredOutput = machine.attemptEnded(
                    output.id, of: output.target, result, at: now)
                guard deliveredOutput != nil else { break }
                deliveredCount += 1
                let number = Int(output.id.dropFirst()) ?? -1
                #expect(number > newestDelivered[output.target, default: -1])
                newestDelivered[output.target] = number
            }
            givenUpCount += machine.takeGivenUp().count
        }
        // From now on no attempt is reported as ended, so each of them times out.
        var wakes = 0
        while let wake = machine.nextWake, wakes < 10_000 {
            now = max(now, wake)
            _ = machine.due(at: now)
            wakes += 1
        }
        #expect(machine.waiting == 0)
        #expect(deliveredCount + givenUpCount + machine.takeGivenUp().count == added)
    }
}
