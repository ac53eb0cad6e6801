package import Access
package import Cluster
package import EventLoop
import GameFlow
package import Net
package import Outputs
package import Parts
package import RPC
package import Room
package import Sessions
package import Shards
import Support
import Timers

/// The objects that connections of every kind share: the loop, the sessions and the access control. `ServerContext` also does
/// the work at the end of each turn of the loop, and counts the connections. All calls are on the loop's thread.
package final class ServerContext {
    package let loop: LibeventLoop
    /// The sessions that requests are about; empty if several nodes share the sessions, because each shard then has its own.
    package let sessions: Sessions
    /// The shards of this process.
    package let shards: OwnShards
    package let protocolHandler: ProtocolHandler
    package let authorizer: Authorizer
    let accountLimits: AccountLimits
    /// Divides the time of each turn of the loop between the kinds of connections: lines at the UNIX socket, lines over TCP, HTTP.
    private let timeSlices: TimeSlices
    package let (unixShare, tcpShare, webShare):
        (TimeSlices.Share, TimeSlices.Share, TimeSlices.Share)
    /// The clients and lanes whose output is written at the end of this turn.
    private let schedule: OutputSchedule
    /// Has no observer, because reading one limit would then copy all of them, and each turn of the loop reads some.
    @exclusivity(unchecked) package private(set) var limits: ServerLimits
    /// Makes invitations, and exchanges them for tokens of guests.
    let invitations: Invitations
    /// The parts that follow which browsers watch a single session.
    package var streamFollowers: [any StreamFollower] = []
    /// Sends an output that another node asks this node to send, and passes on the result.
    package var sendRelayed: (RelayedOutput, _ done: @escaping (DeliveryResult) -> Void) -> Void = {
        $1(.failed("this node sends no outputs"))
    }
    /// Returns the names of the devices and connections that are out of reach.
    package var devicesAway: () -> [String] = { [] }
    /// Sends requests about sessions to their owners, if several nodes share the store; nil otherwise.
    package let router: ShardRouter?
    /// Counts the TLS channels that are closed, but still send their last bytes.
    package let closingChannels = ClosingChannels()
    /// Counts the open files that clients have passed over the UNIX socket (SCM_RIGHTS) and that no request has taken.
    package let passedFiles = PassedFiles()
    /// How many TLS records all connections together may still process in this turn.
    let tlsBudget: TLSRecordGuard.Budget
    let readBuffer: ReadBuffer
    /// The parts of the daemon besides its sessions and connections.
    package var parts: [any Part] = []
    /// The files for the players' pages.
    package var media = MediaDirectory()
    /// Knows whether this process can answer requests for its sessions.
    package private(set) lazy var health = Health(on: loop, shards, router.map { [$0] } ?? [])
    /// Writes the metrics.
    package private(set) lazy var metrics = Metrics(self)
    /// Functions that are called at the end of each turn of the loop. They are called before the rows of the turn are passed to
    /// the store.
    @exclusivity(unchecked) package var beforeSleep: [() -> Void] = []
    /// The number of connections that were made since the start.
    private var connectionCount = 0
    /// The number of connected clients of all kinds.
    package var clientCount = 0
    /// The number of connections of each host. A key is the name that `NetworkHost` gives the host.
    var connectionsPerHost: [String: Int] = [:]

    package init(
        on loop: LibeventLoop, _ sessions: Sessions, _ protocolHandler: ProtocolHandler,
        _ authorizer: Authorizer, _ invitations: Invitations, _ accountLimits: AccountLimits,
        _ shards: OwnShards = OwnShards(),
        _ router: ShardRouter? = nil, _ schedule: OutputSchedule = OutputSchedule(),
        limits: ServerLimits
    ) {
        (self.loop, self.sessions, self.protocolHandler) = (loop, sessions, protocolHandler)
        (self.authorizer, self.invitations) = (authorizer, invitations)
        (self.shards, self.router) = (shards, router)
        (self.schedule, self.limits) = (schedule, limits)
        self.accountLimits = accountLimits
        timeSlices = TimeSlices(
            on: loop, timePerKind: limits.timePerKind, loopTime: limits.loopTime)
        (unixShare, tcpShare, webShare) = (
            TimeSlices.Share(of: timeSlices), TimeSlices.Share(of: timeSlices),
            TimeSlices.Share(of: timeSlices)
        )
        tlsBudget = TLSRecordGuard.Budget(
            TLSRecordGuard.Limits(
                duringHandshake: limits.tlsHandshakeRecords, afterHandshake: limits.tlsRecords,
                perTurn: limits.tlsRecordsPerTurn))
        readBuffer = ReadBuffer(size: limits.readBytes)
        loop.beforeSleep = { [unowned self] in
            for work in beforeSleep { work() }
            var time = DeliveryTime(limit: limits.deliveryTime)
            // The reply to a request that this node made itself can let it make the next one, whose rows are passed on too.
            repeat {
                shards.endTurn()
                schedule.flush(&time)
            } while !shards.busy.isEmpty && !time.isOver
            timeSlices.begin()
            tlsBudget.renew()
            return !schedule.isEmpty || !shards.busy.isEmpty
        }
        setStandstillLimit()
    }

    /// Replaces the limits.
    package func setLimits(_ newLimits: ServerLimits) {
        limits = newLimits
        accountLimits.setRates(limits)
        protocolHandler.setLimits(limits.named)
        setStandstillLimit()
    }

    /// Sets from when on the loop reports a standstill of the process. A node may stand still no longer than for its lease. The
    /// virtual clock does not move while the process stands still.
    private func setStandstillLimit() {
        let limit = sessions.isVirtual || limits.standstill == .zero ? nil : limits.standstill
        loop.standstillLimit = router.map { $0.leases.trustedStandstill } ?? limit
    }

    /// The number of the next connection.
    func nextConnectionNumber() -> Int {
        connectionCount += 1
        return connectionCount
    }

    // MARK: storage

    /// An instant of the loop's clock by the clock of the sessions. With several nodes, that is the database's clock. Nil if the
    /// sessions run on a virtual clock, or while the database's time is not known.
    func sessionsTime(_ instant: Instant) -> Instant? {
        if sessions.isVirtual { return nil }
        if let router { return router.leases.clockOffset.map { instant + $0 } }
        return instant + (sessions.now - loop.timerQueue.now)
    }

    /// Whether so many rows wait for the disk that no further request is executed.
    package var isFull: Bool { shards.isFull }

    /// Writes the client's output when the oldest row is durable that it waits for, or calls its `storeFailed` when the store
    /// has failed. If several nodes share the sessions, replies wait in the lanes to the shards, and no client waits for rows.
    func releaseLater(_ client: any Client) { shards.only?.releaseLater(client) }

    // MARK: notifications

    /// Writes the client's output at the end of the turn, before the loop sleeps.
    func flushLater(_ client: any Client) { schedule.flushLater(client) }
}

extension ServerContext {
    /// The maximum number of devices that `serviceStatus` names.
    private static let namedDevices = 3

    /// What the service manager shows: the numbers of sessions and clients, whether the storage works, and which devices are out
    /// of reach.
    package var serviceStatus: String {
        var parts = [
            CountText.write(shards.sessionCount, "session"),
            CountText.write(clientCount, "client"),
        ]
        if let router { parts.append("\(shards.byNumber.count) of \(router.shardCount) shards") }
        let problem = health.problem?.sentence(isForOperator: true)
        let hasJournal = shards.only?.hasJournal ?? true
        let storage = hasJournal ? "the storage works" : "no journal"
        let away = devicesAway()
        let names = away.prefix(Self.namedDevices).joined(separator: ", ")
        let more = away.count > Self.namedDevices ? ", …" : ""
        return parts.joined(separator: ", ") + "; "
            + (problem.map { "not ready: \($0)" } ?? storage)
            + (away.isEmpty
                ? "" : "; \(CountText.write(away.count, "device")) away: \(names)\(more)")
    }
}

/// Counts connected clients and rejects those beyond the limits.
extension ServerContext {
    /// The error for a client that may not connect because a limit is reached; nil if the client may connect. Counts and logs
    /// the rejection.
    func rejection(_ identity: Identity, isProxy: Bool = false) -> RequestError? {
        // About 2 % of the connections (3/128) are reserved for clients at the UNIX socket, so that an operator can connect.
        let reservedForUnix = identity.kind == .unix ? 0 : limits.clients * 3 / 128
        guard clientCount < limits.clients - reservedForUnix else {
            accountLimits.report("clients", identity.account, limits.clients)
            return .limit(which: "clients", limit: limits.clients)
        }
        return isProxy ? nil : hostRejection(identity)
    }

    /// The error if the client's host has as many connections as it may have; nil if it has not. Counts the rejection.
    func hostRejection(_ identity: Identity) -> RequestError? {
        guard let host = identity.host else { return nil }
        // If `clientsPerPeer` is not set, each other machine may have `clientsPerMachine` connections, and this machine any
        // number.
        let isLocal = Loopback.contains(host.trimmingBrackets)
        guard
            let maximum = limits.clientsPerPeer ?? (isLocal ? nil : ServerLimits.clientsPerMachine),
            connectionsPerHost[host, default: 0] >= maximum
        else { return nil }
        accountLimits.report("clientsPerPeer", identity.account, maximum)
        return .limit(which: "clientsPerPeer", limit: maximum)
    }

    /// Counts a connection of the host, which is nil for a UNIX socket. Connections are counted by host and not by token,
    /// because a client may present its token later.
    func startCounting(connectionFrom host: String?) {
        clientCount += 1
        startCounting(host)
    }

    /// Stops counting a connection of the host.
    func stopCounting(connectionFrom host: String?) {
        clientCount -= 1
        stopCounting(host)
    }

    /// Counts a connection of the host, or an event stream of a host behind a proxy.
    func startCounting(_ host: String?) {
        if let host { connectionsPerHost[host, default: 0] += 1 }
    }

    func stopCounting(_ host: String?) {
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
