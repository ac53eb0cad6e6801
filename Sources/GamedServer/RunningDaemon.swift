import CLinux
import Durability
import EventLoop
import GameFlow
import Glibc
import Journal
import RPC
import Sessions
import Shell
import Support
import Timers

/// The daemon with all its parts. The initializer creates and connects them, in the order of their
/// dependencies.
final class RunningDaemon {
    let sessions: Sessions
    private let loop: LibeventLoop
    private let durability: Durability?
    private let router: ShardRouter?
    /// The tokens of all nodes; nil if the tokens are this daemon's own.
    private let sharedTokens: SharedTokens?
    private let scratch: String?
    private let front: Listeners
    private let manager = ServiceManager()
    private var signals: [SignalHandle] = []

    init(
        _ socket: consuming UnixSocket, _ options: Options, _ flows: [AnyFlow], arguments: [String]
    ) throws {
        loop = try LibeventLoop()
        // The journal first: a state directory that was made from a backup contains the tokens.
        let newInstance = Self.newInstance()
        var directory = try options.stateDirectory.map {
            try StateDirectory(options, at: $0, answers: Limits().ids, newInstance: newInstance)
        }
        let cluster = try Self.join(options, newInstance, manager, on: loop)
        let instance = cluster?.instance ?? directory?.instance ?? newInstance
        (router, scratch) = (cluster?.router, cluster?.scratch)
        let authorizer = Authorizer(
            Rules(options.rules, ownUID: Rules.ownUID), try Self.tokens(options),
            shared: cluster?.tokens)
        sharedTokens = cluster?.tokens

        let library = FlowLibrary(flows, options)

        // The sessions, restored from the state directory if there is one. A node of several has them in shards.
        durability = try directory.map { [loop] in
            try Durability($0, options, library, authorizer, on: loop)
        }
        sessions =
            durability?.sessions
            ?? Sessions(library.catalog, on: Self.clock(options, cluster, on: loop))
        let recovery = directory.map { [loop] in Self.recovery($0, options, on: loop) }
        // Releases the rows that were read: they are no longer needed.
        directory = nil
        malloc_trim(0)
        #if DEBUG
            sessions.unrestorable = { Log.write(.error, $0.sentence) }
        #endif
        let requests = cluster.map { NodeRequests($0.router) }
        let sources = try DaemonSources(
            options, sessions, Self.sender(sessions, requests, durability), requests, on: loop,
            instance: instance)
        if let durability, let recovery { sources.outputs.recover(recovery(durability)) }
        sources.stuck?.begin(durability?.groupCommit, durability?.store)
        // After the outputs, which see every change of this start.
        if router == nil { try StartSessions(options).open(in: sessions) }

        // The parts that answer requests.
        var limits = options.limits
        limits.clients = Descriptors.raiseLimit(for: limits.clients)
        let identity = Self.identity(options, instance: instance, limits)
        let drawer = try GraphvizDrawer(on: loop)
        library.drawer = drawer
        var pageAddress: () -> String? = { nil }
        let invitations = Invitations(authorizer, on: loop) { pageAddress() }
        let screens = Screens(authorizer, on: loop)
        let games = Self.games(durability, cluster)
        let dispatcher = Dispatcher(
            sessions, identity, archive: durability?.groupCommit,
            maintenance: Self.maintenance(cluster, options, authorizer, on: loop)
                ?? durability?.maintenance,
            tokens: authorizer, invitations: invitations, screens: screens,
            devices: sources.bluetooth, inputs: sources.registry, outputs: sources.outputs,
            flowFiles: library, drawer: drawer,
            statistics: games.map { [sessions] in JournalStatistics($0, sessions) },
            leaderboards: games.map { [sessions, loop] in
                JournalLeaderboards($0, sessions, on: loop)
            })
        dispatcher.router = router
        let context = ServerContext(
            on: loop, sessions, ProtocolHandler(dispatcher), authorizer,
            groupCommit: durability?.groupCommit, limits: limits)
        context.router = router
        context.outputs = sources.outputs
        (context.invitations, context.screens) = (invitations, screens)
        context.rowsRolledBack = { sources.rolledBack() }

        // The listening sockets.
        front = try Listeners(
            socket, options, context, library,
            sources: sources.all(options, sessions, context.protocolHandler.encoder),
            instance: instance)
        pageAddress = { [unowned front] in front.pageAddress }
        if let cluster {
            cluster.router.begin(
                ShardEnvironment(
                    options, library, drawer, identity, cluster.router.leases, sources.outputs,
                    cluster.router.lineTimes, sources.links, sources.publisher, on: loop))
        }
        signals = try [SIGTERM, SIGINT].map { [unowned self] number in
            try SignalHandle(number, on: loop) { [unowned self] in stop() }
        }
        signals.append(
            try SignalHandle(SIGHUP, on: loop) { [front] in
                front.readAgain(arguments, flows: flows)
            })
    }

    /// The clock of the sessions. Nodes that share a database agree on the time.
    private static func clock(
        _ options: Options, _ cluster: JoinedCluster?, on loop: LibeventLoop
    ) -> any TimerClock {
        if options.isVirtual { return VirtualClock() }
        guard let cluster else { return loop }
        return LoopClock(on: loop, offset: cluster.router.leases.offset ?? .zero)
    }

    /// Where the events of devices go: to the sessions of this process, or to the nodes that own them.
    private static func sender(
        _ sessions: Sessions, _ requests: NodeRequests?, _ durability: Durability?
    ) -> any DeviceEventSender {
        if let requests { return RoutedEventSender(requests, sessions.catalog) }
        return LocalEventSender(sessions) { durability?.groupCommit.isFull ?? false }
    }

    /// The description of the daemon in `hello`.
    private static func identity(_ options: Options, instance: String, _ limits: ServerLimits)
        -> Dispatcher.ServerIdentity
    {
        let store =
            options.database.map { _ in "postgresql" }
            ?? options.stateDirectory.map { _ in "directory" } ?? "none"
        return Dispatcher.ServerIdentity(
            version: gamedVersion, instance: instance, limits: limits.named, node: options.node,
            store: store)
    }

    /// The games in the state directory, or in the database that nodes share; nil without either.
    private static func games(
        _ durability: Durability?, _ cluster: JoinedCluster?
    ) -> (any RecordedGames)? {
        if let cluster { return ShardJournals(store: cluster.store) }
        return durability.map { OwnJournal(groupCommit: $0.groupCommit, store: $0.store) }
    }

    /// Back-ups and checks of the database that nodes share; nil without one.
    private static func maintenance(
        _ cluster: JoinedCluster?, _ options: Options, _ authorizer: Authorizer,
        on loop: LibeventLoop
    ) -> JournalMaintenance? {
        guard let cluster else { return nil }
        let keep = options.keep.map(DurationText.write) ?? "forever"
        return JournalMaintenance(
            ClusterJournal(router: cluster.router, store: cluster.store, keep: keep),
            cluster.scratch, authorizer, on: loop)
    }

    /// How the outputs that the last start left are found in a journal.
    private static func recovery(
        _ journal: any RestoredJournal, _ options: Options, on loop: LibeventLoop
    ) -> (Durability) -> OutputRecovery {
        let times = journal.times
        let lastAlive = journal.lastAlive ?? .zero
        return { durability in
            // Timers that were overdue have already fired; the outputs find their changes in the journal.
            durability.groupCommit.flush()
            return OutputRecovery(
                durability.store, durability.sessions, times,
                upTo: durability.sessions.newestRow, lastAlive: lastAlive,
                isRealTime: !options.isVirtual, on: loop)
        }
    }

    /// Runs until a signal ends the daemon. `status` is a sentence for the service manager.
    func run(_ status: String) {
        manager.ready(status)
        manager.keepAlive(on: loop)
        loop.run()
    }

    /// Connects to the database that this node shares with others; nil without one.
    private static func join(
        _ options: Options, _ newInstance: String, _ manager: ServiceManager, on loop: LibeventLoop
    ) throws -> JoinedCluster? {
        guard let location = try options.location else { return nil }
        let facts = ClusterFacts.digest(options)
        let start = try ClusterStart(location, options, facts: facts, on: loop) { sentence in
            // The service manager must not take a node that waits for one that hangs.
            manager.ready(sentence)
            manager.keepAlive(on: loop)
        }
        return try start.run(newInstance: newInstance)
    }

    /// Stops the daemon cleanly; on the second call immediately.
    private func stop() {
        guard !front.isStopping else { return loop.stop() }
        manager.stopping()
        front.stop { [self] in
            let end = { [self] in
                if let scratch { rmdir(scratch) }
                loop.stop()
            }
            sharedTokens?.stop()
            if let router { return router.close(end) }
            guard let durability else { return end() }
            durability.close(end)
        }
    }

    private static func tokens(_ options: Options) throws(ListenerError) -> TokenFile {
        do throws(TokenFile.TokenError) { return try TokenFile(options.tokenFile) } catch {
            throw ListenerError(why: error.why)
        }
    }

    /// A name that is unique to this start.
    private static func newInstance() -> String {
        let number = UInt64.random(in: .min ... .max)
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
