import Dispatch
import TestSupport
import Testing
import Timers

/// What the actors of these tests have: a clock that is made on no actor, and what its timers have done. A test that gives it to
/// another actor does not use it any more.
private struct Kitchen: @unchecked Sendable {
    let clock: TaskClock
    let owner: RecordingTimerOwner

    init(_ manualClock: ManualClock) {
        clock = TaskClock(manualClock)
        owner = RecordingTimerOwner(clock.timerQueue)
        owner.countdown(.seconds(5), 1)
    }
}

/// An actor whose clock is made in its `init`, which runs on the caller's actor or on none.
private actor Cook {
    private let kitchen: Kitchen
    private var bell: ScopedCountdown?
    private(set) var rings = 0

    init(_ manualClock: ManualClock) { kitchen = Kitchen(manualClock) }

    var firedTags: [UInt8] { kitchen.owner.firedTags }

    func use() {
        kitchen.owner.onDue = { [weak self] _ in self?.assertIsolated() }
        _ = kitchen.clock.now
    }

    func setBell() {
        bell = ScopedCountdown(on: kitchen.clock, .seconds(2)) { [weak self] in
            self?.assertIsolated()
            self?.assumeIsolated { $0.rings += 1 }
        }
    }

    func giveAway() -> Kitchen { kitchen }
}

@MainActor private final class Model {
    // Initial values are on no actor, also those of a class that is on one.
    let kitchen: Kitchen
    init(_ kitchen: Kitchen) { self.kitchen = kitchen }
}

/// Makes a clock as the initial value of a property makes it: without an isolation, wherever the caller runs.
private func outsideActors(_ manualClock: ManualClock) -> Kitchen { Kitchen(manualClock) }

/// A clock that was made on no actor, and the actors that use it.
@Suite struct ClockOwnerTests {
    private let manualClock = ManualClock()

    /// Lets other tasks run until the condition is true, and expects that it becomes true.
    private func until(
        isolation: isolated (any Actor)? = #isolation, _ condition: () async -> Bool
    ) async {
        for _ in 0..<100_000 {
            if await condition() { return }
            await Task.yield()
        }
        Issue.record("the condition did not become true")
    }

    @Test func `a clock that an actor makes in its init wakes on the actor after its first use`()
        async
    {
        let cook = Cook(manualClock)
        await cook.use()
        await until { manualClock.sleeperCount == 1 }
        manualClock.advance(by: .seconds(5))
        await until { await cook.firedTags == [1] }
    }

    @Test @MainActor
    func `a clock of an actor that the main actor has made never wakes on the main actor`() async {
        let cook = Cook(manualClock)
        for _ in 0..<100 { await Task.yield() }
        #expect(manualClock.sleeperCount == 0)
        await cook.use()
        await until { manualClock.sleeperCount == 1 }
        manualClock.advance(by: .seconds(5))
        await until { await cook.firedTags == [1] }
    }

    @Test @MainActor func `the first use on the main actor makes a clock wake there`() async {
        let kitchen = outsideActors(manualClock)
        let model = Model(kitchen)
        model.kitchen.owner.onDue = { _ in MainActor.assertIsolated() }
        #expect(manualClock.sleeperCount == 0)
        _ = model.kitchen.clock.now
        await until { manualClock.sleeperCount == 1 }
        manualClock.advance(by: .seconds(5))
        await until { model.kitchen.owner.firedTags == [1] }
    }

    @Test func `a timer of one's own is a first use, and wakes its clock`() async {
        let cook = Cook(manualClock)
        await cook.setBell()
        await until { manualClock.sleeperCount == 1 }
        manualClock.advance(by: .seconds(2))
        await until { await cook.rings == 1 }
    }

    @Test func `a clock follows to the actor that uses it next`() async {
        let cook = Cook(manualClock)
        await cook.use()
        await until { manualClock.sleeperCount == 1 }
        let kitchen = await cook.giveAway()
        await takeOver(kitchen)
        manualClock.advance(by: .seconds(5))
        await until { await MainActor.run { kitchen.owner.firedTags == [1] } }
    }

    @MainActor private func takeOver(_ kitchen: Kitchen) async {
        kitchen.owner.onDue = { _ in MainActor.assertIsolated() }
        _ = kitchen.clock.now
        // The alarm on the actor that was there before is cancelled.
        await until { manualClock.sleeperCount == 1 }
    }

    @Test func `a clock that is used outside actors does not wake, and keeps its timers`() async {
        let kitchen = outsideActors(manualClock)
        _ = kitchen.clock.now
        for _ in 0..<100 { await Task.yield() }
        #expect(manualClock.sleeperCount == 0)
        manualClock.advance(by: .seconds(5))
        kitchen.clock.fireDueTimers()
        #expect(kitchen.owner.firedTags == [1])
    }

    @Test func `an alarm of an actor that has gone does nothing`() async {
        var cook: Cook? = Cook(manualClock)
        await cook?.use()
        await until { manualClock.sleeperCount == 1 }
        cook = nil
        await until { manualClock.sleeperCount == 0 }
        manualClock.advance(by: .seconds(5))
    }

    @Test func `an actor that makes its clock in a method is released, and its wait ends`() async {
        var baker: Baker? = Baker()
        await baker?.setBell(manualClock)
        await until { manualClock.sleeperCount == 1 }
        weak let gone = baker
        baker = nil
        await until { gone == nil && manualClock.sleeperCount == 0 }
        manualClock.advance(by: .seconds(2))
    }

    @Test func `a clock that an actor makes in a method wakes on the actor`() async {
        let baker = Baker()
        await baker.setBell(manualClock)
        await until { manualClock.sleeperCount == 1 }
        manualClock.advance(by: .seconds(2))
        await until { await baker.rings == 1 }
    }

    @Test func `a clock wakes on the executor of its actor`() async {
        let guest = Guest()
        await guest.setBell(manualClock)
        await until { manualClock.sleeperCount == 1 }
        manualClock.advance(by: .seconds(2))
        await until { await guest.rings == 1 }
    }
}

/// An actor whose clock is made in one of its methods.
private protocol BellActor: Actor {
    var clock: TaskClock? { get set }
    var bell: ScopedCountdown? { get set }
    var rings: Int { get set }
}

extension BellActor {
    func setBell(_ manualClock: ManualClock) {
        let clock = TaskClock(manualClock)
        self.clock = clock
        bell = ScopedCountdown(on: clock, .seconds(2)) { [weak self] in
            self?.assertIsolated()
            self?.assumeIsolated { $0.rings += 1 }
        }
    }
}

private actor Baker: BellActor {
    var clock: TaskClock?
    var bell: ScopedCountdown?
    var rings = 0
}

/// The same, with an executor of its own.
private actor Guest: BellActor {
    private let executor = DispatchExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    var clock: TaskClock?
    var bell: ScopedCountdown?
    var rings = 0

    private final class DispatchExecutor: SerialExecutor {
        private let queue = DispatchQueue(label: "guest")
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }
}
