import Foundation
import GameFlow
import GameFlowHosting
import ShippedFlows
import TestSupport
import Testing

/// Machines that a server hosts and keeps in a store.
@Suite struct SessionHostTests {
    private let clock = ManualClock()
    private let store = MemoryStore()

    private func newHost(_ store: (any SnapshotStore)? = nil) -> SessionHost<Startup> {
        SessionHost(Startup(), store: store ?? self.store, clock: clock) { [clock] in clock.wallTime
        }
    }

    /// The name of a state, without its data.
    private func name(_ state: Startup.State?) -> String {
        state.map { "\($0)".prefix { $0 != "(" } }.map(String.init) ?? "none"
    }

    @Test func `a send returns when the change is saved`() async throws {
        let host = newHost()
        #expect(name(try await host.open("a")) == "launching")
        #expect(name(try await host.send(.didLaunch, to: "a")) == "hydrating")
        #expect(await store.saves == 2)
        #expect(name(await host.state(of: "a")) == "hydrating")
        #expect(await host.state(of: "b") == nil)
        #expect(await host.names == ["a"])
    }

    @Test func `what is refused is not saved and says why`() async throws {
        let host = newHost()
        try await host.open("a")
        do {
            try await host.send(.logout, to: "a")
            Issue.record("it was accepted")
        } catch {
            #expect(error == .refused)
            #expect(error.reason == .noTransition)
            #expect(error.description.hasPrefix("launching does not take logout; it accepts"))
        }
        #expect(await store.saves == 1)
        await #expect(throws: HostRefusal.unknown) { try await host.send(.logout, to: "b") }
        await #expect(throws: HostRefusal.exists) { try await host.open("a") }
        await #expect(throws: HostRefusal.invalid) { try await host.open("b", at: .ready) }
        await #expect(throws: HostRefusal.invalid) { try await host.open("") }
        await #expect(throws: HostRefusal.invalid) {
            try await host.open(String(repeating: "x", count: 65))
        }
    }

    @Test func `only a timer sends a signal`() async throws {
        let host = SessionHost(Checkout(), store: store, clock: clock) { [clock] in clock.wallTime }
        try await host.open("a")
        try await host.send(.begin, to: "a")
        do throws(HostRefusal) {
            try await host.send(.due(.timeUp), to: "a", id: "k1")
            Issue.record("it was accepted")
        } catch {
            #expect(error == .refused && error.reason == .forbidden)
            #expect("\(error)" == "only a timer sends timeUp")
        }
        #expect(await store.saves == 2)
        #expect(await host.state(of: "a") == .filling(total: 0))
    }

    @Test func `a machine is not opened in a final state`() async throws {
        let host = SessionHost(Onboarding(), store: store, clock: clock) { [clock] in
            clock.wallTime
        }
        do {
            try await host.open("a", at: .loggedOut)
            Issue.record("it was opened")
        } catch let refusal as HostRefusal {
            #expect(refusal == .invalid)
            #expect("\(refusal)" == "loggedOut is a final state")
        }
        #expect(await store.saves == 0)
    }

    @Test func `a change that cannot be saved is undone`() async throws {
        let host = newHost()
        try await host.open("a")
        await store.fail(true)
        await #expect(throws: HostRefusal.storage) { try await host.send(.didLaunch, to: "a") }
        #expect(name(await host.state(of: "a")) == "launching")
        await #expect(throws: HostRefusal.storage) { try await host.open("b") }
        await #expect(throws: HostRefusal.storage) { try await host.close("a") }
        await store.fail(false)
        #expect(name(try await host.send(.didLaunch, to: "a")) == "hydrating")
        try await host.open("b")
    }

    @Test func `a timer fires, and its change is saved`() async throws {
        let host = newHost()
        try await host.open("a")
        try await host.send(.didLaunch, to: "a")
        var changes = await host.changes(of: "a").makeAsyncIterator()
        let first = try #require(await changes.next())
        #expect(name(first.state) == "hydrating")
        await clock.waitForSleeper()
        clock.advance(by: .seconds(10))
        let second = try #require(await changes.next())
        #expect(name(second.state) == "error")
        #expect(second.entry > first.entry)
        #expect(await store.saves == 3)
    }

    @Test func `a firing is tried again until the store works, and requests are refused meanwhile`()
        async throws
    {
        let host = newHost()
        try await host.open("a")
        try await host.send(.didLaunch, to: "a")
        var changes = await host.changes(of: "a").makeAsyncIterator()
        _ = await changes.next()
        await clock.waitForSleeper()
        await store.fail(true)
        clock.advance(by: .seconds(10))
        await clock.waitForSleeper()
        await #expect(throws: HostRefusal.storage) { try await host.send(.didLaunch, to: "a") }
        #expect(name(await host.state(of: "a")) == "hydrating")
        await store.fail(false)
        clock.advance(by: .seconds(30))
        #expect(name(await changes.next()?.state) == "error")
        #expect(name(try await host.send(.retry, to: "a")) == "hydrating")
    }

    @Test func `a repeated id gets the first answer, over a restart, too`() async throws {
        let host = newHost()
        try await host.open("a")
        let first = try await host.send(.didLaunch, to: "a", id: "k1")
        try await host.send(.hydrateSucceeded(hasSession: false), to: "a")
        #expect(name(try await host.send(.didLaunch, to: "a", id: "k1")) == name(first))
        let next = newHost()
        #expect(try await next.restore() == ["a"])
        #expect(name(try await next.send(.didLaunch, to: "a", id: "k1")) == name(first))
        #expect(name(await next.state(of: "a")) == "needsLogin")
    }

    @Test func `an event for a visit that is over is stale`() async throws {
        let host = newHost()
        try await host.open("a")
        var changes = await host.changes(of: "a").makeAsyncIterator()
        let entry = try #require(await changes.next()).entry
        try await host.send(.didLaunch, to: "a", entry: entry)
        await #expect(throws: HostRefusal.stale) {
            try await host.send(.retry, to: "a", entry: entry)
        }
    }

    @Test func `readers end when a machine is closed`() async throws {
        let host = newHost()
        try await host.open("a")
        let changes = await host.changes(of: "a")
        let reader = Task {
            var count = 0
            for await _ in changes { count += 1 }
            return count
        }
        try await host.send(.didLaunch, to: "a")
        try await host.close("a")
        #expect(await reader.value <= 2)
        #expect(await host.names == [])
        #expect(try await store.load().isEmpty)
        var unknown = await host.changes(of: "a").makeAsyncIterator()
        #expect(await unknown.next() == nil)
        await #expect(throws: HostRefusal.unknown) { try await host.close("a") }
    }

    @Test func `requests of one name are carried out one after the other`() async throws {
        let host = newHost()
        try await host.open("a")
        let accepted = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask { (try? await host.send(.didLaunch, to: "a")) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(accepted == 1)
        #expect(await store.saves == 2)
    }

    @Test func `after a restart the timers that became due fire`() async throws {
        let host = newHost()
        try await host.open("a")
        try await host.send(.didLaunch, to: "a")
        try await host.open("b")
        clock.advance(by: .seconds(4))
        let next = newHost()
        #expect(try await next.restore() == ["a", "b"])
        #expect(name(await next.state(of: "a")) == "hydrating")
        var changes = await next.changes(of: "a").makeAsyncIterator()
        _ = await changes.next()
        clock.advance(by: .seconds(6))
        _ = try? await next.send(.logout, to: "b")
        #expect(name(await changes.next()?.state) == "error")
    }

    @Test func `a snapshot of another flow is refused by its name`() async throws {
        let other = SessionHost(Registration(), store: store, clock: clock) { [clock] in
            clock.wallTime
        }
        try await other.open("a")
        do {
            try await newHost().restore()
            Issue.record("it was accepted")
        } catch {
            #expect("\(error)" == "a: a machine of the flow registration")
        }
    }

    @Test func `files keep the machines of all names`() async throws {
        let folder = Folder()
        let files = try FileSnapshotStore("\(folder.path)/machines")
        let host = newHost(files)
        for name in ["a", "A/b", "ü %2f"] { try await host.open(name) }
        try await host.send(.didLaunch, to: "ü %2f")
        try await host.close("a")
        let next = newHost(try FileSnapshotStore("\(folder.path)/machines"))
        #expect(try await next.restore() == ["A/b", "ü %2f"])
        #expect(name(await next.state(of: "ü %2f")) == "hydrating")
    }

    @Test(arguments: seeds(20))
    func `a hosted machine that is restored at random points equals one that is not`(_ seed: UInt64)
        async throws
    {
        var random = SeededRandom(seed)
        let newHost = { [clock] (store: any SnapshotStore) in
            SessionHost(Checkout(), store: store, clock: clock) { clock.wallTime }
        }
        var process = ProcessStore(store)
        var (host, steady) = (newHost(process), newHost(MemoryStore()))
        // A new process gives other numbers to the visits, but there are as many of them.
        var visits: (Set<Int>, Set<Int>) = ([], [])
        try await host.open("a")
        try await steady.open("a")
        for step in 0..<60 {
            if random.below(5) == 0 {
                process.kill()
                process = ProcessStore(store)
                host = newHost(process)
                try await host.restore()
            }
            if random.below(3) == 0 { clock.advance(by: .seconds(random.below(40))) }
            // Timers that are due may fire by the alarm of the clock, or before the next event.
            for _ in 0..<random.below(30) { await Task.yield() }
            let event = random.pick([Checkout.Event.begin, .add(price: 3), .pay, .cancel])
            let states = (
                try? await host.send(event, to: "a"), try? await steady.send(event, to: "a")
            )
            #expect(states.0 == states.1, "seed \(seed), step \(step), \(event)")
            let now = (await host.state(of: "a"), await steady.state(of: "a"))
            #expect(now.0 == now.1, "seed \(seed), step \(step), \(event)")
            var changes = (
                await host.changes(of: "a").makeAsyncIterator(),
                await steady.changes(of: "a").makeAsyncIterator()
            )
            visits.0.insert(try #require(await changes.0.next()).entry)
            visits.1.insert(try #require(await changes.1.next()).entry)
            #expect(visits.0.count == visits.1.count, "seed \(seed), step \(step), \(event)")
        }
        // A run that changes nothing would prove nothing.
        #expect(await store.saves > 10)
    }
}

/// A flow whose timers keep their deadlines over a restart.
private struct Checkout: ValueFlow {
    enum StateName: String, CaseIterable, Sendable { case browsing, filling, paid, expired }
    enum State: Equatable, Sendable {
        case browsing
        case filling(total: Int)
        case paid(total: Int)
        case expired
    }
    enum Event: FlowEvent, Equatable, Sendable {
        case begin, pay, cancel
        case add(price: Int)
        case due(Signal)
    }
    enum Signal: UInt8, CaseIterable, Sendable { case timeUp, over }

    var events: [EventSchema<Event>] {
        EventSchema.plain(.begin, .pay, .cancel) + [EventSchema(Event.add)]
    }

    func timers(_ state: State) -> [TimerDeclaration<Signal>] {
        switch state {
        case .browsing: []
        case .filling: [.countdown(.seconds(90), sends: .timeUp)]
        case .paid, .expired: [.countdown(.seconds(25), sends: .over)]
        }
    }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Self> {
        switch (state, event) {
        case (.browsing, .begin): enter(.filling(total: 0))
        case (.filling(let total), .add(let price)): keep(nil, .filling(total: total + price))
        case (.filling(let total), .pay): enter(.paid(total: total))
        case (.filling, .due(.timeUp)): enter(.expired)
        case (.filling, .cancel), (.paid, .due(.over)), (.expired, .due(.over)): enter(.browsing)
        default: throw .noTransition
        }
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .browsing: StateDescription(.browsing)
        case .filling(let total): StateDescription(.filling, [Member("total", total)])
        case .paid(let total): StateDescription(.paid, [Member("total", total)])
        case .expired: StateDescription(.expired)
        }
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Self> {
        switch name {
        case .browsing: enter(.browsing)
        case .filling: enter(.filling(total: try data("total")))
        case .paid: enter(.paid(total: try data("total")))
        case .expired: enter(.expired)
        }
    }
}
