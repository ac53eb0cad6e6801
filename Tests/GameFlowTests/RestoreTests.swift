import GameFlow
import ShippedFlows
import TestSupport
import Testing
import Timers

/// A flow with one countdown for each policy after a restart, and a pendulum.
private struct Vault: ValueFlow {
    var name: String { "vault" }
    var initial: StateName { .shut }
    enum StateName: String, CaseIterable { case shut, open }
    typealias State = StateName
    enum Event: FlowEvent {
        case turn
        case due(Signal)
    }
    enum Signal: UInt8, CaseIterable { case byDeadline, byRemaining, byRestart, dropped, beat }

    var events: [EventSchema<Event>] { [EventSchema(.turn)] }
    func describe(_ state: State) -> StateDescription<StateName> { StateDescription(state) }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Vault> {
        switch (state, event) {
        case (.shut, .turn): enter(.open)
        case (.open, .turn): enter(.shut)
        case (.open, .due): .keep
        default: throw .noTransition
        }
    }

    func timers(_ state: State) -> [TimerDeclaration<Signal>] {
        guard state == .open else { return [] }
        return [
            .countdown(.seconds(10), sends: .byDeadline),
            .countdown(.seconds(10), sends: .byRemaining, afterRestart: .remaining),
            .countdown(.seconds(10), sends: .byRestart, afterRestart: .restart),
            .countdown(.seconds(10), sends: .dropped, afterRestart: .drop),
            .pendulum(.seconds(3), sends: .beat),
        ]
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Vault> {
        enter(name)
    }
}

@Suite struct RestoreTests {
    /// A copy of the machine, restored at `now` after the daemon was last alive at `lastAlive`.
    private func restored(_ fixture: MachineFixture, at now: Instant, lastAlive: Instant) throws
        -> MachineFixture
    {
        let restoredFixture = MachineFixture(unopened: fixture.machine.flow, at: now)
        try restoredFixture.restore(fixture.machine.snapshot, lastAlive: lastAlive)
        return restoredFixture
    }

    @Test func `each timer is restored as its declaration says`() throws {
        let fixture = try MachineFixture(Vault(), "open")
        fixture.time.advance(by: .seconds(4))
        let now = fixture.time.now
        let restoredFixture = try restored(fixture, at: now + .seconds(5), lastAlive: now)
        #expect(
            restoredFixture.timers == [
                "byDeadline 1000/10000", "byRemaining 6000/10000", "byRestart 10000/10000",
                "beat 0/3000",
            ])
        #expect(restoredFixture.steps.isEmpty)
        restoredFixture.time.advance(by: .zero)
        #expect(restoredFixture.beats == 1)
        // The pendulum keeps its beats at 3, 6, 9, 12 seconds after the entry. At this point 9 seconds have passed since the
        // entry.
        #expect(restoredFixture.timers.last == "beat 3000/3000")
        fixture.expectOnlyItsOwnTimers()
        restoredFixture.expectOnlyItsOwnTimers()
    }

    @Test func `overdue timers fire at once and only once, in the order of their deadlines`()
        throws
    {
        // The time-out `idle` of `finishedLevel` is due after 15 s, and `helpTimedOut` of `help` after 30 s.
        let fixtures = try [
            MachineFixture(Game(), "help"),
            MachineFixture(Game(), "finishedLevel", GameTests.data(of: "finishedLevel")),
        ]
        let later = VirtualClock(startingAt: fixtures[0].time.now + .seconds(3600))
        var order: [String] = []
        var timers: [RestoredTimer] = []
        let restoredFixtures = try fixtures.map { fixture in
            let restoredFixture = MachineFixture(unopened: fixture.machine.flow, on: later)
            restoredFixture.onStep = { order.append($0.event?.name ?? "") }
            try restoredFixture.machine.restore(
                fixture.machine.snapshot, after: Downtime(lastAlive: .zero), adding: &timers)
            return restoredFixture
        }
        RestoredTimer.set(timers, on: later.timerQueue, queueIsEmpty: true)
        later.advance(by: .zero)
        #expect(order == ["idle", "helpTimedOut"])
        // The state that the overdue timer enters has its full time.
        #expect(restoredFixtures[1].state == "choosingLevel")
        #expect(restoredFixtures[1].timers == ["idle 60000/60000"])
        for fixture in fixtures { fixture.expectOnlyItsOwnTimers() }
        for fixture in restoredFixtures { fixture.machine.end() }
        #expect(later.timerQueue.count == 0)
    }

    @Test func `timers of one instant fire in the order in which they had been set`() throws {
        let time = VirtualClock()
        let flow = AnyFlow(Game())
        let fixtures = try (0..<5).map { _ in try MachineFixture(flow, "help", on: time) }
        // The third timer is restarted, so it fires last, although all timers are due at the same instant.
        let third = try #require(fixtures[2].machine.timer("helpTimedOut"))
        time.timerQueue.restart(third.id)
        let later = VirtualClock(startingAt: time.now)
        var order: [Int] = []
        var timers: [RestoredTimer] = []
        let restoredFixtures = try fixtures.enumerated().map { index, fixture in
            let restoredFixture = MachineFixture(unopened: flow, on: later)
            restoredFixture.onStep = { _ in order.append(index) }
            try restoredFixture.machine.restore(
                fixture.machine.snapshot, after: Downtime(lastAlive: time.now), adding: &timers)
            return restoredFixture
        }
        RestoredTimer.set(timers.shuffled(by: 7), on: later.timerQueue, queueIsEmpty: true)
        later.advance(by: .seconds(30))
        #expect(order == [0, 1, 3, 4, 2])
        for fixture in fixtures + restoredFixtures { fixture.machine.end() }
        #expect(time.timerQueue.count == 0)
        #expect(later.timerQueue.count == 0)
    }

    @Test func `the order of timers that are due at one instant is kept over restarts`() throws {
        let flow = AnyFlow(Game())
        var time = VirtualClock()
        var fixtures = try (0..<3).map { _ in try MachineFixture(flow, "help", on: time) }
        // Each repetition is a restart of the daemon. After each restart, only the second timer is set back to its full time,
        // and only the record of the second machine is written again.
        var records = fixtures.map(\.machine.snapshot)
        for _ in 0..<4 {
            let later = VirtualClock(startingAt: time.now)
            let restoredFixtures = records.map { _ in MachineFixture(unopened: flow, on: later) }
            var timers: [RestoredTimer] = []
            for (restoredFixture, record) in zip(restoredFixtures, records) {
                try restoredFixture.machine.restore(
                    record, after: Downtime(lastAlive: later.now), adding: &timers)
            }
            RestoredTimer.set(timers, on: later.timerQueue, queueIsEmpty: true)
            later.timerQueue.restart(
                try #require(restoredFixtures[1].machine.timer("helpTimedOut")).id)
            records[1] = restoredFixtures[1].machine.snapshot
            for fixture in fixtures { fixture.machine.end() }
            (time, fixtures) = (later, restoredFixtures)
        }
        var order: [Int] = []
        for (index, fixture) in fixtures.enumerated() {
            fixture.onStep = { _ in order.append(index) }
        }
        time.advance(by: .seconds(30))
        #expect(order == [0, 2, 1])
        for fixture in fixtures { fixture.machine.end() }
        #expect(time.timerQueue.count == 0)
    }

    @Test(arguments: [0, -1, Int64.max, 10], [5, -1, Int64.max, Int64.min])
    func `an impossible record of a timer is refused, or restored without a trap`(
        _ total: Int64, _ until: Int64
    ) throws {
        let fixture = MachineFixture(unopened: AnyFlow(Vault()), at: .zero)
        let records = ["byDeadline", "beat"].map {
            TimerRecord(
                fires: $0, total: Duration.nanoseconds(total),
                state: .running(until: Instant(nanoseconds: until)), order: 1)
        }
        let snapshot = MachineRecord(place: StateRecord("open"), timers: records, waiting: [])
        do throws(Reason) {
            try fixture.restore(snapshot, lastAlive: .zero)
        } catch {
            #expect(fixture.time.timerQueue.count == 0)
            return
        }
        fixture.time.advance(by: .seconds(1), limit: 100)
        fixture.machine.end()
    }

    @Test func `a paused timer is restored with its time left`() throws {
        let fixture = try MachineFixture(Game(), "playingLevel", GameTests.data(of: "playingLevel"))
        fixture.time.advance(by: .milliseconds(1250))
        let timer = try #require(fixture.machine.timer("timeUp"))
        #expect(fixture.time.timerQueue.extend(timer.id, by: .seconds(30)))
        fixture.time.timerQueue.pause(timer.id)
        let now = fixture.time.now
        let restoredFixture = try restored(fixture, at: now + .seconds(3600), lastAlive: now)
        #expect(restoredFixture.timers == ["timeUp 118750/120000 paused", "tick 750/1000"])
        fixture.expectOnlyItsOwnTimers()
        restoredFixture.expectOnlyItsOwnTimers()
    }

    @Test func `a countdown that has fired is not set again`() throws {
        let fixture = try MachineFixture(Vault(), "open")
        fixture.time.advance(by: .seconds(10))
        #expect(fixture.timers == ["beat 2000/3000"])
        let restoredFixture = try restored(
            fixture, at: fixture.time.now, lastAlive: fixture.time.now)
        #expect(restoredFixture.timers == ["beat 2000/3000"])
        fixture.expectOnlyItsOwnTimers()
        restoredFixture.expectOnlyItsOwnTimers()
    }

    @Test func `deferred events are restored with their sources and offered after the next entry`()
        throws
    {
        let fixture = try MachineFixture(Startup(), "hydrating")
        for number in 1...3 { try fixture.send("deepLink", [Member("link", "app://\(number)")]) }
        let restoredFixture = try restored(
            fixture, at: fixture.time.now, lastAlive: fixture.time.now)
        #expect(restoredFixture.machine.deferredCount == 3)
        #expect(restoredFixture.steps.isEmpty)
        try restoredFixture.send("hydrateSucceeded", [Member("hasSession", true)])
        let shown = restoredFixture.steps.filter { $0.to?.state == "showing" }
        #expect(
            shown.map { $0.event?.arguments.first?.value } == (1...3).map { .string("app://\($0)") }
        )
        #expect(shown.allSatisfy { $0.source === Source.tester })
        fixture.expectOnlyItsOwnTimers()
        restoredFixture.expectOnlyItsOwnTimers()
    }

    @Test
    func `restoring an unknown state or unknown data is refused and leaves no timers`()
        throws
    {
        let flow = AnyFlow(Game())
        let places = [
            StateRecord("gone"), StateRecord("playingLevel"),
            StateRecord("introduction", [Member("x", 1)]),
            StateRecord("playingLevel", [Member("episode", 9), Member("level", 1)]),
        ]
        for place in places {
            let fixture = MachineFixture(unopened: flow, at: .zero)
            let snapshot = MachineRecord(place: place, timers: [], waiting: [])
            #expect(throws: Reason.self) {
                try fixture.restore(snapshot, lastAlive: .zero)
            }
            #expect(fixture.time.timerQueue.count == 0)
        }
        let waiting = MachineRecord.Deferred(EventRecord("nosuch"), from: .tester)
        let snapshot = MachineRecord(
            place: StateRecord("introduction"), timers: [], waiting: [waiting])
        #expect(throws: Reason.unknownEvent) {
            try MachineFixture(unopened: flow, at: .zero).restore(snapshot, lastAlive: .zero)
        }
    }

    /// Makes the same random steps in two machines, and compares the machines. One of the machines is restored now and then.
    @Test(arguments: seeds(60)) func `a restored session continues like one that was not restored`(
        _ seed: UInt64
    ) throws {
        var random = SeededRandom(seed)
        let flow = random.pick(AnyFlow.shipped())
        let fixture = try MachineFixture(flow)
        var restoredFixture = try MachineFixture(flow)
        for step in 0..<120 {
            if random.below(5) == 0 {
                restoredFixture = try restored(
                    restoredFixture, at: restoredFixture.time.now,
                    lastAlive: restoredFixture.time.now)
            }
            if random.below(3) == 0 {
                let ms = Int64(
                    random.pick([1, 250, 999, 1000, 5000, 8000, 15_000, 30_000, 61_000]))
                fixture.time.advance(by: .milliseconds(ms))
                restoredFixture.time.advance(by: .milliseconds(ms))
            } else {
                let event = random.pick(flow.events)
                let arguments = random.pick(event.samples)
                let (refusal, refusalOfRestored) = (
                    fixture.refusal(event.name, arguments),
                    restoredFixture.refusal(event.name, arguments)
                )
                #expect(refusal == refusalOfRestored, "seed \(seed), step \(step), \(event.name)")
            }
            #expect(
                fixture.machine.place == restoredFixture.machine.place, "seed \(seed), step \(step)"
            )
            #expect(fixture.timers == restoredFixture.timers, "seed \(seed), step \(step)")
            #expect(fixture.machine.snapshot.waiting == restoredFixture.machine.snapshot.waiting)
        }
        fixture.expectOnlyItsOwnTimers()
        restoredFixture.expectOnlyItsOwnTimers()
    }
}

extension Array {
    func shuffled(by seed: UInt64) -> [Element] {
        var random = SeededRandom(seed)
        return shuffled(using: &random)
    }
}

extension MachineFixture {
    /// Restores the machine from the snapshot of another machine. The daemon was last alive at `lastAlive`.
    func restore(_ snapshot: MachineRecord, lastAlive: Instant) throws(Reason) {
        var timers: [RestoredTimer] = []
        try machine.restore(snapshot, after: Downtime(lastAlive: lastAlive), adding: &timers)
        RestoredTimer.set(timers, on: time.timerQueue, queueIsEmpty: true)
    }
}
