import Durability
import GameFlow
import JSONCoding
import Journal
import JournalTestSupport
import PostgresStore
import RPC
import Sessions
import Timers

/// The sessions of one shard while a process owns it, as `Shard` has them: `OwnedSessions`, a protocol handler, a clock,
/// and the shard of the store.
final class HostedShard {
    let shard: Int
    let sessions: Sessions
    let clock: NodeClock
    let store: PostgresShard
    unowned let process: NodeProcess
    private let handler: ProtocolHandler
    private var clients: [Client] = []
    private let owned: OwnedSessions
    /// Runs while the shard waits before its next attempt to use the store.
    private var retryDelay: ScopedCountdown?
    /// Writes the shard's high-water mark every 500 ms.
    private var markPulse: ScopedPendulum?

    /// Restores the sessions from the rows; after a hand-over, all timers continue.
    init(_ shard: Int, _ rows: AcquiredRows, handedOverAt: Instant?, _ process: NodeProcess) {
        (self.shard, self.process, store) = (shard, process, rows.store)
        let (world, lastAlive) = (process.world, rows.owned.lastAlive)
        clock = NodeClock(
            notBefore: lastAlive ?? .zero, offset: process.clockOffset
        ) { [machine = process.machine] in machine.loopTime }
        let end = handedOverAt ?? lastAlive ?? clock.now
        owned = OwnedSessions(
            world.withInjectedFault(rows.owned.reading.content(), downtime: clock.now - end),
            lastAlive: lastAlive, handedOverAt: handedOverAt, world.flows.catalog, in: store,
            on: clock
        ) { [unowned process] in process.isTrusted(shard) }
        sessions = owned.sessions
        let identity = Dispatcher.ServerIdentity(version: "0", instance: "simulated", limits: [])
        handler = ProtocolHandler(Dispatcher(sessions, identity, archive: owned.groupCommit))
        world.check { [quarantined = owned.quarantined] () throws(InvariantViolation) in
            try expect(quarantined.isEmpty, "quarantined after a takeover: \(quarantined)")
        }
        (owned.groupCommit.delegate, owned.groupCommit.clients) = (self, self)
        if world.fault == .timersIgnoreTrust { clock.mayFire = { true } }
        clock.willFire = { [unowned process] in process.world.recordAct(shard, by: process) }
        markPulse = ScopedPendulum(on: process.clock, .milliseconds(500)) { [unowned self] _ in
            mark()
        }
        if !owned.isEmpty { owned.recordStart([]) }
        clock.fireDueTimers()
    }

    /// Whether the shard executes requests and has no rows that are not yet durable.
    var isReady: Bool { owned.mayServe && sessions.outage == nil && owned.groupCommit.isIdle }

    /// Writes the high-water mark with the present time, as `JournalRetention` does.
    private func mark() {
        if owned.groupCommit.mayServe() { clock.fireDueTimers() }
        store.mark(
            HighWaterMark(position: sessions.durableRow, atNs: sessions.now.nanoseconds))
    }

    // MARK: requests

    func connect(_ client: Client) {
        client.connect(sessions)
        clients.append(client)
    }

    /// Executes or refuses a request of a client, now or after it was held.
    func answer(_ line: [UInt8], _ client: Client) {
        owned.pass { [unowned self] decision in
            switch decision {
            case .execute:
                process.world.recordAct(shard, by: process)
                clock.fireDueTimers()
                client.send(.line(line[...]), to: handler)
                read(client)
            case .refuse(let why):
                refuse(client, .storage(why: why, outcome: Self.hasID(line) ? .unknown : .undone))
            case .drop: break
            }
        }
    }

    /// Whether a request may repeat one that was executed. `Shard` gets this with the request from `RoutedRequest`.
    private static func hasID(_ line: [UInt8]) -> Bool {
        guard case .object(let request)? = Value(json: line),
            case .object(let params)? = request["params"]
        else { return true }
        return params["id"] != nil
    }

    /// Answers a request without executing it.
    private func refuse(_ client: Client, _ error: RequestError) {
        var writer = JSONWriter(capacity: 256)
        writer.reply(refusing: .refused(error))
        client.connection?.outbox.write(line: writer.bytes + [0x0A])
        read(client)
    }

    func leaseWasRenewed() { owned.leaseWasRenewed() }

    private func read(_ client: Client) {
        for line in client.read(.max) { process.world.checkReceived(client, line, in: shard) }
    }

    func endTurn() {
        for client in clients { read(client) }
        owned.groupCommit.flush()
    }

    // MARK: the end

    func drain(_ done: @escaping () -> Void) {
        markPulse = nil
        owned.drain(done)
    }

    /// Ends the sessions, because the process is no longer the owner.
    func end() {
        guard !owned.hasEnded else { return }
        owned.end {
            disconnect()
            markPulse = nil
        }
        retryDelay = nil
        store.abandon()
    }

    /// Ends at once, because the process was killed.
    func kill() {
        disconnect()
        (markPulse, retryDelay) = (nil, nil)
        owned.abandon()
    }

    private func disconnect() {
        for client in exchange(&clients, with: []) {
            client.disconnect()
            process.world.shards[shard].connectionEnded(of: client)
        }
    }
}

extension HostedShard: GroupCommitDelegate, GroupCommitClients {
    func holdTimers(_ isHeld: Bool) { owned.holdTimers(isHeld) }

    func retry(_ work: @escaping () -> Void) {
        retryDelay = ScopedCountdown(on: process.clock, .seconds(1), work)
    }

    func report(storageWorks: Bool, _ sentence: String) {}
    func storageIsBack(undone: [Sessions.UndoneOpening]) {}

    func storeOutcomeArrived(_ outcome: GroupCommit.Outcome) {
        process.world.shards[shard].recordDurable(upTo: sessions.durableRow)
        for client in clients {
            guard let connection = client.connection else { continue }
            switch outcome {
            case .durable, .recovered: connection.subscriber.release()
            case .failed(let error): connection.subscriber.fail(error, connection)
            }
            read(client)
        }
        owned.handleHeldRequests()
    }
}
