import Durability
import EventLoop
import GameFlow
import RPC
import Sessions
import Timers

/// The objects that connections of every kind share: the loop and its turns, the sessions, the group commit for which replies
/// wait, and the access control.
final class ServerContext: GroupCommitClients {
    let loop: LibeventLoop
    /// The time at which the daemon was started.
    let start: Instant
    let sessions: Sessions
    let protocolHandler: ProtocolHandler
    let authorizer: Authorizer
    let rateLimiter: RateLimiter
    private(set) lazy var turns = TimeSlices(on: loop) { [unowned self] in limits }
    /// Writes changes to the store; nil without a store.
    private let groupCommit: GroupCommit?
    var limits: ServerLimits {
        didSet {
            rateLimiter.set(limits)
            protocolHandler.setLimits(limits.named)
        }
    }
    let counters = ServerCounters()
    /// Makes invitations and lets guests join; nil if the daemon makes no invitations.
    var invitations: Invitations?
    /// The browsers that watch one session each; nil if no method returns their list.
    var screens: Screens?
    /// Sends outputs on behalf of other nodes; nil without outputs.
    weak var outputs: RoomOutputs?
    /// Sends requests about sessions to their owners, if several nodes share the store; nil otherwise.
    var router: ShardRouter?
    let closingChannels = ClosingChannels()
    let passedFiles = PassedFiles()
    /// How many TLS records all connections together may still handle in this turn.
    private(set) lazy var tlsBudget = TLSRecordGuard.Budget { [unowned self] in
        limits.tlsRecordsPerTurn
    }
    /// The buffer for one read; used by one client at a time.
    var readBuffer: [UInt8]
    /// Called when changes that were not durable yet were rolled back.
    var rowsRolledBack: () -> Void = {}
    /// The inputs, outputs and links, which are reloaded, flushed and stopped together.
    var sources: [any EventSource] = []
    /// The files for the players' pages; nil without `--media`.
    var media: MediaDirectory?
    /// The number of open event streams, over all HTTP addresses.
    var webStreams: () -> Int = { 0 }
    /// The functions that are called each time before the loop sleeps, before the rows of the turn are passed to the store.
    var beforeSleep: [() -> Void] = []
    private var clientsToFlush: [any Client] = []
    private var clientsToRelease: [any Client] = []
    /// The number of connected clients of all kinds.
    var clientCount = 0
    /// The number of connections by host.
    var connectionsPerHost: [String: Int] = [:]
    /// Whether it was already logged that the limit of clients is reached.
    var isCrowded = false

    init(
        on loop: LibeventLoop, _ sessions: Sessions, _ protocolHandler: ProtocolHandler,
        _ authorizer: Authorizer, groupCommit: GroupCommit? = nil, limits: ServerLimits
    ) {
        (self.loop, self.sessions, self.protocolHandler) = (loop, sessions, protocolHandler)
        start = loop.timerQueue.now
        (self.authorizer, self.groupCommit, self.limits) = (authorizer, groupCommit, limits)
        rateLimiter = RateLimiter(limits, on: loop)
        readBuffer = Array(repeating: 0, count: limits.readBytes)
        loop.beforeSleep = { [unowned self] in
            for work in beforeSleep { work() }
            groupCommit?.flush()
            router?.endTurn()
            flushAll()
            turns.begin()
            tlsBudget.renew()
        }
        groupCommit?.clients = self
    }

    // MARK: storage

    /// The number of durable rows, and of transactions since the start; nil without a store.
    var journal: (rows: Int, transactions: Int)? {
        groupCommit.map { (sessions.durableRow, $0.transactions) }
    }
    /// Whether so many rows wait for the disk that no further request is executed.
    var isFull: Bool { groupCommit?.isFull ?? false }

    /// Calls the client's `storageChanged` when more rows are durable.
    func releaseLater(_ client: any Client) {
        guard groupCommit != nil, !client.isReleaseScheduled else { return }
        client.isReleaseScheduled = true
        clientsToRelease.append(client)
    }

    func storeOutcomeArrived(_ outcome: GroupCommit.Outcome) {
        if case .failed = outcome { rowsRolledBack() }
        for client in exchange(&clientsToRelease, with: []) {
            client.isReleaseScheduled = false
            if !client.isGone { client.storageChanged(outcome) }
        }
    }

    // MARK: notifications

    /// Calls the client's `flush` before the loop sleeps. So all notifications of a turn are written together, and never while
    /// they are being produced.
    func flushLater(_ client: any Client) {
        if !client.isFlushScheduled {
            client.isFlushScheduled = true
            clientsToFlush.append(client)
        }
    }

    private func flushAll() {
        while !clientsToFlush.isEmpty {
            for client in exchange(&clientsToFlush, with: []) {
                client.isFlushScheduled = false
                client.flush()
            }
        }
    }
}

/// Counts connected clients and rejects those beyond the limits.
extension ServerContext {
    /// The error for a client that may not connect, because a limit is reached; nil if it may connect.
    func rejection(_ identity: Identity) -> RequestError? {
        // About 2 % of the connections are reserved for clients at the UNIX socket.
        let reservedForUnix = identity.kind == .unix ? 0 : limits.clients * 3 / 128
        guard clientCount < limits.clients - reservedForUnix else {
            if !isCrowded {
                Log.write(
                    .warning,
                    "\(limits.clients) clients are connected, which is the limit; further ones are rejected"
                )
            }
            isCrowded = true
            counters.rejected += 1
            return .limit(which: "clients", limit: limits.clients)
        }
        isCrowded = false
        guard let host = identity.host else { return nil }
        let isLocal = Loopback.contains(host.trimmingBrackets)
        guard
            let maximum = limits.clientsPerPeer ?? (isLocal ? nil : ServerLimits.clientsPerMachine),
            connectionsPerHost[host, default: 0] >= maximum
        else { return nil }
        counters.rejected += 1
        return .limit(which: "clientsPerPeer", limit: maximum)
    }

    /// Counts a connection of the host. Connections are counted by host rather than by token,
    /// because a token may be presented later.
    func arrive(from host: String?) {
        clientCount += 1
        if let host { connectionsPerHost[host, default: 0] += 1 }
    }

    /// Stops counting a connection of the host.
    func depart(from host: String?) {
        clientCount -= 1
        guard let host, let count = connectionsPerHost[host] else { return }
        connectionsPerHost[host] = count > 1 ? count - 1 : nil
    }
}

extension String {
    /// An IPv6 address without its brackets.
    fileprivate var trimmingBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }
}

/// Counters since the start, for the daemon's metrics.
final class ServerCounters {
    var httpRequests = 0
    /// Clients that were accepted.
    var accepted = 0
    /// Clients that were rejected because of a limit.
    var rejected = 0
    /// Watchers whose backlog exceeded the limit.
    var overruns = 0
    /// Requests that did not arrive in time.
    var lateRequests = 0
}
