import Access
import Cluster
import EventLoop
import GameFlow
import Journal
import Ownership
import Parts
import PostgresStore
import SQLiteStore
import Sessions
import Support
import TestSupport
import Testing
import Timers

@testable import GamedServer
@testable import RPC
@testable import Shards

/// Events of devices for sessions of this node, which shares its store with other nodes.
@Suite struct DeviceEventsTests {
    private let loop: LibeventLoop
    private let fixture: ShardFixture
    private let router: ShardRouter
    private let nodes: CountingNodes
    private let sender: DeviceEvents
    private let store = PendingStore()
    private let log = OutcomeLog()
    private var number: Int { router.shard(of: .main) }

    /// A store whose commits are done by `commit`.
    private final class PendingStore: MemoryStore {
        private var pending: [(rows: [JournalRow], done: (StoreOutcome) -> Void)] = []

        override func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
            pending.append((batch, done))
        }

        /// Drops the rows that a former owner can no longer store.
        func discard() { pending = [] }

        /// Stores the rows, and reports `outcome`. If it is nil, the owner never learns that the rows are stored.
        func commit(_ outcome: StoreOutcome? = .durable) {
            for (rows, done) in exchange(&pending, with: []) {
                if outcome == nil || outcome == .durable { insert(rows) }
                if let outcome { done(outcome) }
            }
        }
    }

    /// Counts the events that are sent as lines, and holds them until `release`.
    private final class CountingNodes: SharingNodes {
        private let requests: NodeRequests
        private(set) var lines: [String] = []
        private var held: [() -> Void] = []

        init(_ requests: NodeRequests) { self.requests = requests }

        var isFull: Bool { requests.isFull }
        var runsSince: Instant { requests.runsSince }
        func newID() -> String { requests.newID() }
        func enqueue(
            to session: SessionName, _ work: @escaping (_ sendNext: @escaping () -> Void) -> Void
        ) { requests.enqueue(to: session, work) }

        func relay(
            _ event: ReceivedEvent, as choice: EventChoice?,
            _ done: @escaping (SentEvent.Outcome) -> Void
        ) {
            lines.append(choice?.name ?? event.content.givenName ?? "?")
            held.append { [requests] in requests.relay(event, as: choice, done) }
        }

        func release() { for send in exchange(&held, with: []) { send() } }
    }

    /// The outcomes of events, in the order in which they were reported.
    private final class OutcomeLog {
        private(set) var lines: [String] = []

        func add(_ outcome: SentEvent.Outcome) {
            switch outcome {
            case .accepted(let name, _, let state): lines.append("\(name): \(state?.state ?? "")")
            case .refused(let name, let refusal): lines.append("\(name ?? "?"): \(refusal.name)")
            case .repeated: lines.append("repeated")
            case .notSent: lines.append("not sent")
            }
        }
    }

    init() throws {
        loop = try LibeventLoop()
        fixture = try ShardFixture(on: loop)
        // The database is never connected.
        let location = try PostgresLocation("postgresql://localhost/none")
        let database = PostgresStore(
            location, owner: "a", backups: SQLiteJournal.self, on: loop)
        let table = LeaseTable(
            location, owner: "a", node: NodeDescription(name: "a"), lease: .seconds(1),
            acceptsWeakStore: false, on: loop)
        router = ShardRouter(
            ShardLeases(table, database, OwnershipSettings(), on: loop), database,
            NodeEnvironment(loop: loop, identity: "a", address: "", proof: .none),
            LineTimes([:], addNote: { _, _, _ in }, removeNote: { _ in }), hold: .seconds(30),
            on: loop)
        nodes = CountingNodes(NodeRequests(router, fixture.environment.library.catalog))
        sender = DeviceEvents(router.shards, nodes, on: loop)
    }

    /// Adds a shard in which `main` plays the quiz, with durable rows.
    private func addShard(isTrusted: @escaping () -> Bool = { true }) throws -> Shard {
        let shard = fixture.shard(number, store, isTrusted: isTrusted)
        router.shards.add(shard)
        _ = try shard.sessions.open(
            .main, shard.sessions.flow("quiz"), RequestContext(from: .program))
        commit(shard)
        return shard
    }

    private func commit(_ shard: Shard, _ outcome: StoreOutcome? = .durable) {
        shard.endTurn()
        store.commit(outcome)
        for output in fixture.environment.schedule.receivers { output.writeDurableOutput() }
    }

    private func send(_ name: String, _ arguments: [Member] = []) {
        send(.named(name), arguments)
    }

    private func send(
        _ choice: SentEvent.Choice, _ arguments: [Member] = [], id: String? = nil
    ) {
        let event = SentEvent(
            session: .main, choice: choice, arguments: arguments,
            source: Source(Source.Kind("osc"), peer: .device("desk")), id: id)
        sender.send(event) { [log] in log.add($0) }
    }

    private func state(_ shard: Shard) throws -> String {
        try shard.sessions.session(.main).machine.place.state
    }

    @Test func `an event is a call of the shard, and is reported when it is durable`() throws {
        let shard = try addShard()
        defer { shard.end() }
        send("start", [Member("rounds", "3")])
        #expect(try state(shard) == "question")
        #expect(log.lines == [])
        send(.chosen { $0.state.state == "question" ? "buzz" : nil }, [Member("player", "ann")])
        #expect(try state(shard) == "question", "the first event is not durable")
        commit(shard)
        #expect(log.lines == ["start: question"])
        #expect(try state(shard) == "locked")
        commit(shard)
        send(.chosen { _ in nil })
        #expect(log.lines == ["start: question", "buzz: locked", "not sent"])
        #expect(nodes.lines == [])
    }

    @Test func `an event whose id the session has taken is reported as repeated`() throws {
        let shard = try addShard()
        defer { shard.end() }
        let start = SentEvent.Choice.named("start")
        send(start, [Member("rounds", "many")], id: "hall/t/1")
        send(start, [Member("rounds", "3")], id: "hall/t/1")
        send(start, [Member("rounds", "3")], id: "hall/t/1")
        send(.named("buzz"), [Member("player", "ann")], id: "hall/t/2")
        commit(shard)
        commit(shard)
        // A refused event may come again.
        #expect(log.lines == ["start: invalid", "start: question", "repeated", "buzz: locked"])
    }

    @Test func `an event does not overtake one that waits for an owner`() throws {
        send("start", [Member("rounds", "3")])
        let shard = try addShard()
        defer { shard.end() }
        send("buzz", [Member("player", "ann")])
        #expect(nodes.lines == ["start"])
        #expect(try state(shard) != "locked")
        nodes.release()
        commit(shard)
        loop.run(for: .milliseconds(1))
        commit(shard)
        #expect(log.lines == ["start: question", "buzz: locked"])
        #expect(nodes.lines == ["start"])
    }

    @Test func `a request whose reply waits for the store is held`() throws {
        let shard = try addShard()
        defer { shard.end() }
        let caller = TestCaller(Identity(.unix, nil), .everything)
        var isAnswered = false
        let open = RoutedRequest.open(SessionName("other")!, flow: "quiz", id: "k1")
        shard.route(open, from: caller).begin { _ in isAnswered = true }
        #expect(router.heldRequestCount == 1 && !isAnswered)
        commit(shard)
        #expect(router.heldRequestCount == 0 && isAnswered)
    }

    @Test func `an event waits while the lease cannot be trusted`() throws {
        var isTrusted = true
        let shard = try addShard { isTrusted }
        defer { shard.end() }
        isTrusted = false
        send("start", [Member("rounds", "3")])
        #expect(try state(shard) != "question")
        #expect(shard.heldRequests == 1)
        isTrusted = true
        shard.leaseWasRenewed()
        commit(shard)
        #expect(log.lines == ["start: question"])
        #expect(nodes.lines == [])
    }

    @Test func `the failure of the store is the outcome of the event`() throws {
        let shard = try addShard()
        defer { shard.end() }
        send("start", [Member("rounds", "3")])
        commit(shard, .lost(why: "full"))
        #expect(log.lines == ["start: storage"])
        #expect(nodes.lines == [])
    }

    /// Whether the rows of the event are stored when the shard is lost.
    @Test(arguments: [true, false])
    func `an event of a shard that is lost before it is durable happens once`(_ isStored: Bool)
        throws
    {
        let first = try addShard()
        send(.chosen { _ in "start" }, [Member("rounds", "3")])
        if isStored { commit(first, nil) }
        send("buzz", [Member("player", "ann")])
        let second = fixture.shard(number, store)
        router.shards.add(second)
        first.end()
        store.discard()
        #expect(nodes.lines == ["start"])
        #expect(try state(second) == (isStored ? "question" : "lobby"))
        nodes.release()
        for _ in 0..<3 {
            commit(second)
            loop.run(for: .milliseconds(1))
        }
        #expect(log.lines == ["start: question", "buzz: locked"])
        #expect(nodes.lines == ["start"])
        let events = store.rows.compactMap { $0.id == nil ? nil : $0.position }
        #expect(events.count == 2)
        second.end()
    }

    @Test func `an event that was held when the shard was lost is sent to the next owner`() throws {
        var isTrusted = true
        let first = try addShard { isTrusted }
        isTrusted = false
        send("start", [Member("rounds", "3")])
        _ = router.shards.remove(number)
        first.end()
        #expect(nodes.lines == ["start"])
        #expect(log.lines == [])
    }
}
