import Journal
import Sessions
import TestSupport
import Timers

/// A shard with its clients, and the oracle that checks what they receive about its sessions.
final class ShardUnderTest: StoredRows {
    let number: Int
    private unowned let world: ClusterWorld
    private let clients: [Client]
    /// For each client, the owner to which it is connected; nil if it has no connection.
    private var hosts: [HostedShard?]
    private var generator: RequestGenerator
    private(set) var oracle: Oracle!
    private(set) var newestDurableRow = 0

    init(_ number: Int, _ names: [String], in world: ClusterWorld) {
        (self.number, self.world) = (number, world)
        clients = (1...2).map { Client($0, .none) }
        hosts = clients.map { _ in nil }
        generator = RequestGenerator(world.flows.offered, names, isVirtual: false)
        oracle = Oracle(self)
    }

    var journal: JournalReader { world.database.journals[number] }
    var rows: [JournalRow] { world.database.tables.rows[number] }

    func recordDurable(upTo position: Int) { newestDurableRow = max(newestDurableRow, position) }

    /// Records that the owner has ended, and with it the client's connection.
    func connectionEnded(of client: Client) {
        for (index, other) in clients.enumerated() where other === client { hosts[index] = nil }
    }

    // MARK: requests

    /// Sends a request of a client to a process that acts as the owner. If `onlyRepeats`, sends no new request, but may repeat
    /// one whose outcome is unknown.
    func sendRequest(onlyRepeats: Bool) {
        // At the end, only clients with requests to repeat are chosen, so that each client learns all outcomes.
        let clientsToRepeat =
            onlyRepeats ? clients.indices.filter { !clients[$0].requestsToRepeat.isEmpty } : []
        let index =
            clientsToRepeat.isEmpty
            ? world.random.below(clients.count) : world.random.pick(clientsToRepeat)
        let client = clients[index]
        guard let host = hosts[index] ?? connect(index) else { return }
        guard let request = request(client, host, onlyRepeats: onlyRepeats) else { return }
        oracle.sent(request)
        client.expectReply(.one(request))
        world.counts["requests"] += 1
        let connection = client.connection
        host.process.run {
            guard client.connection === connection else { return }
            host.answer(request.json, client)
        }
    }

    private func connect(_ index: Int) -> HostedShard? {
        let owners = world.machines.compactMap { $0.process.hosts[number] }
        guard !owners.isEmpty else { return nil }
        let host = world.random.pick(owners)
        host.connect(clients[index])
        hosts[index] = host
        return host
    }

    private func request(
        _ client: Client, _ host: HostedShard, onlyRepeats: Bool
    ) -> SentRequest? {
        if !client.requestsToRepeat.isEmpty, onlyRepeats || world.random.below(2) == 0 {
            return generator.repeated(client.requestsToRepeat.removeFirst(), journal)
        }
        return onlyRepeats ? nil : generator.request(host.sessions, journal, &world.random)
    }

    // MARK: checks

    /// The shard's host, if exactly one process serves the shard and it is ready.
    var host: HostedShard? {
        let hosts = world.machines.compactMap { $0.process.hosts[number] }
        return hosts.count == 1 && hosts[0].isReady ? hosts[0] : nil
    }

    /// Checks everything about the shard at the end.
    func check(_ host: HostedShard) throws(InvariantViolation) {
        for client in clients {
            try expect(
                client.expectedReplies.isEmpty && client.requestsToRepeat.isEmpty,
                "client \(client.number) of shard \(number) does not learn the outcomes of \(client.expectedReplies) \(client.requestsToRepeat)"
            )
        }
        try RowInvariants.check(rows, journal)
        // The row of a timer that has just fired may not be durable yet.
        let end = host.clock.now.nanoseconds - 3_000_000_000
        try TimerInvariants.check(rows, end: end)
        try oracle.check()
        let checks = JournalChecks(catalog: world.flows.catalog)
        world.counts["changes replayed"] += try checks.replay(rows)
        try checks.compare(rows, with: host.sessions)
    }
}
