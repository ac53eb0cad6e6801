import CLinux
import Durability
import EventLoop
import GameFlow
import Glibc
import Journal
import Net
import RPC
import Sessions
import Shell
import Support
import Timers

/// The daemon with all its parts. The initializer creates and connects the parts, in the order of
/// their dependencies; `run` then serves clients. `GamedServer` creates this object.
final class RunningDaemon {
    /// The sessions of this process; empty with several nodes, whose sessions are in shards.
    let sessions: Sessions
    /// Where the journal is, for the log.
    let journalText: String
    private let loop: LibeventLoop
    /// The state directory in use; nil without one.
    private let durability: Durability?
    /// Knows the owners of the shards; nil unless several nodes share a database.
    private let router: ShardRouter?
    /// The tokens that all nodes share in the database; nil if this daemon has tokens of its own.
    private let sharedTokens: SharedTokens?
    /// The directory in which backups of the shared database are written; nil without such a database.
    private let temporaryDirectory: String?
    private let listeners: Listeners
    /// Checks once a second whether the wall clock was set.
    private var wallClockTimer: ScopedPendulum?
    private let serviceManager = ServiceManager()
    /// Retains the handlers of SIGTERM, SIGINT and SIGHUP.
    private var signals: [SignalHandle] = []

    /// Creates all parts. `socket` is the daemon's UNIX socket, which is not open yet. `flows` are the flows of the program.
    /// `arguments` are the arguments of the command line. At SIGHUP they are read again, together with the configuration.
    init(
        _ socket: consuming UnixSocket, _ options: Options, _ flows: [AnyFlow], arguments: [String]
    ) throws {
        loop = try LibeventLoop()
        try loop.beginPulse()
        // This name is used only if no earlier instance can be continued.
        let newInstance = Self.newInstance()
        // The state directory is opened before the token file is read. A journal that was made from a backup contains the
        // tokens. `StateDirectory` writes these tokens into the token file.
        var directory = try options.store.stateDirectory.map {
            try StateDirectory(options, at: $0, answerLimit: Limits().ids, newInstance: newInstance)
        }
        let isNew = directory?.isNew == true
        journalText =
            options.store.database.map { _ in "journal in PostgreSQL, node \(options.node.name)" }
            ?? options.store.stateDirectory.map {
                isNew ? "a new journal was created in \($0)" : "journal in \($0)"
            } ?? "no journal"
        let cluster = try Self.join(options, newInstance, serviceManager, on: loop)
        let instance = cluster?.instance ?? directory?.instance ?? newInstance
        (router, temporaryDirectory) = (cluster?.router, cluster?.temporaryDirectory)
        let authorizer = Authorizer(
            Rules(options.access.rules, ownUID: Rules.ownUID), try Self.tokens(options),
            sharedTokens: cluster?.tokens)
        sharedTokens = cluster?.tokens

        let library = FlowLibrary(flows, options)

        // The sessions are restored from the state directory, if there is one. With several nodes, each shard that this node
        // acquires restores its own sessions.
        durability = try directory.map { [loop] in
            try Durability($0, options, library, authorizer, on: loop)
        }
        sessions =
            durability?.sessions
            ?? Sessions(library.catalog, on: Self.clock(options, cluster, on: loop))
        let recovery = directory.map { [loop] in Self.recovery($0, options, on: loop) }
        // Releases the rows that were read, and returns their memory to the system: they are no longer needed.
        directory = nil
        malloc_trim(0)
        #if DEBUG
            // Checks after each change that the session could be restored from its records.
            sessions.reportUnrestorable = { Log.write(.error, $0.sentence) }
        #endif
        let requests = cluster.map { NodeRequests($0.router) }
        let sources = try DaemonSources(
            options, sessions, Self.sender(sessions, requests, durability), requests, on: loop,
            instance: instance)
        if let durability, let recovery { sources.outputs.recover(recovery(durability)) }
        let recordedAlerts = RecordedAlerts()
        sources.stuckMonitor?.begin(
            durability?.store, read: recordedAlerts.add
        ) { [outputs = sources.outputs] in outputs.restoreAlerts(recordedAlerts) }
        // The sessions are opened after the outputs are connected, because the outputs must see every change of this start.
        if router == nil { try StartSessions(options).open(in: sessions) }

        // The parts that answer requests.
        var limits = options.limits
        limits.clients = Descriptors.raiseLimit(for: limits.clients)
        let identity = Self.identity(options, instance: instance, limits)
        let diagramDrawer = try GraphvizDrawer(on: loop)
        let surveyor = try SurveyWorker(on: loop) { [unowned library] in
            library.fileName(of: $0)
        }
        library.begin(diagramDrawer, surveyor, ReplacedFlows(on: loop))
        // The address of the web pages, for the links of invitations. The variable is set after the listeners are created,
        // because the listeners know the address.
        var pageAddress: () -> String? = { nil }
        let invitations = Invitations(authorizer, on: loop) { pageAddress() }
        let screens = Screens(authorizer, on: loop)
        let recordedGames = Self.recordedGames(durability, cluster)
        let maintenance =
            Self.maintenance(cluster, options, authorizer, on: loop) ?? durability?.maintenance
        let dispatcher = Dispatcher(
            sessions, identity, archive: durability?.groupCommit, diagramDrawer: diagramDrawer,
            surveyor: surveyor)
        dispatcher.router = router
        let context = ServerContext(
            on: loop, sessions, ProtocolHandler(dispatcher), authorizer,
            groupCommit: durability?.groupCommit, limits: limits)
        context.router = router
        router?.clockWasSet = { [counters = context.counters] step in
            counters.clockSteps += 1
            WallClockFollower.log(step)
        }
        context.outputs = sources.outputs
        (context.invitations, context.screens) = (invitations, screens)
        context.rowsRolledBack = { sources.outputs.dropRolledBackChanges() }

        let parts: [any Part] =
            [authorizer] + sources.makeParts(options, sessions, context.protocolHandler.encoder)
            + [screens, invitations, library]
        // The listening sockets.
        listeners = try Listeners(
            socket, options, context, library, parts: parts, instance: instance)
        pageAddress = { [unowned listeners] in listeners.pageAddress }
        if let cluster {
            cluster.router.begin(
                ShardEnvironment(
                    options, library, diagramDrawer, identity, cluster.router.leases,
                    sources.outputs,
                    cluster.router.lineTimes, sources.links, sources.publisher, on: loop))
        }
        if router == nil { followWallClock() }
        loop.stoodStill = { [unowned self] in stoodStill($0) }
        signals = try [SIGTERM, SIGINT].map { [unowned self] number in
            try SignalHandle(number, on: loop) { [unowned self] in stop() }
        }
        signals.append(
            try SignalHandle(SIGHUP, on: loop) { [listeners] in
                listeners.readAgain(arguments, flows: flows)
            })
        let otherMethods: [any PartMethod] =
            sources.methods + [
                NodesMethod(router, identity), BackupMethod(maintenance), PruneMethod(maintenance),
                StatsMethod(recordedGames.map { [sessions] in JournalStatistics($0, sessions) }),
                LeaderboardMethod(
                    recordedGames.map { [sessions, loop] in
                        JournalLeaderboards($0, sessions, on: loop)
                    }),
                ReloadMethod(listeners, arguments, flows),
            ]
        for method in parts.flatMap(\.methods) + otherMethods { dispatcher.add(method) }
    }

    /// The clock of sessions that no state directory restores. With several nodes it follows the database's clock, so that all
    /// nodes have the same time.
    private static func clock(
        _ options: Options, _ cluster: JoinedCluster?, on loop: LibeventLoop
    ) -> any TimerClock {
        if options.sessions.isVirtual { return VirtualClock() }
        guard let cluster else { return loop }
        return LoopClock(on: loop, offset: cluster.router.leases.clockOffset ?? .zero)
    }

    /// Sends the events of devices: to the sessions of this process, or to the nodes that own the sessions.
    private static func sender(
        _ sessions: Sessions, _ requests: NodeRequests?, _ durability: Durability?
    ) -> any DeviceEventSender {
        if let requests { return RoutedEventSender(requests, sessions.catalog) }
        return LocalEventSender(sessions) { durability?.groupCommit.isFull ?? false }
    }

    /// The description of the daemon in the result of the method `hello`.
    private static func identity(_ options: Options, instance: String, _ limits: ServerLimits)
        -> Dispatcher.ServerIdentity
    {
        // The kind of store.
        let store =
            options.store.database.map { _ in "postgresql" }
            ?? options.store.stateDirectory.map { _ in "directory" } ?? "none"
        return Dispatcher.ServerIdentity(
            version: gamedVersion, instance: instance, limits: limits.named,
            node: options.node.name,
            store: store, rowFormat: Int(RowFormat.newest.rawValue),
            commit: BuildInformation.commit)
    }

    /// The journals for statistics, in the state directory or in the database that nodes share; nil without either.
    private static func recordedGames(
        _ durability: Durability?, _ cluster: JoinedCluster?
    ) -> (any RecordedGames)? {
        if let cluster { return ShardJournals(store: cluster.store) }
        return durability.map { OwnJournal(groupCommit: $0.groupCommit, store: $0.store) }
    }

    /// The maintenance of the database that nodes share; nil without one.
    private static func maintenance(
        _ cluster: JoinedCluster?, _ options: Options, _ authorizer: Authorizer,
        on loop: LibeventLoop
    ) -> JournalMaintenance? {
        guard let cluster else { return nil }
        let retentionText = options.store.retentionPeriod.map(DurationText.write) ?? "forever"
        return JournalMaintenance(
            ClusterJournal(
                router: cluster.router, store: cluster.store, retentionText: retentionText),
            cluster.temporaryDirectory, authorizer, on: loop)
    }

    /// Returns a function that finds in a journal the outputs that an earlier run of the daemon did not send. The function
    /// retains only what it needs of `journal`, because the rows of `journal` are released before it is called.
    private static func recovery(
        _ journal: any RestoredJournal, _ options: Options, on loop: LibeventLoop
    ) -> (Durability) -> OutputRecovery {
        let times = journal.times
        let lastAlive = journal.lastAlive ?? .zero
        return { durability in
            // Overdue timers have already fired. Their changes are flushed, because the search must find them in the journal.
            durability.groupCommit.flush()
            return OutputRecovery(
                durability.store, durability.sessions, times,
                upTo: durability.sessions.newestRow, lastAlive: lastAlive,
                isRealTime: !options.sessions.isVirtual, on: loop)
        }
    }

    /// Serves clients until a signal ends the daemon. `status` is a sentence about the daemon, for the service manager.
    func run(_ status: String) {
        serviceManager.ready(status)
        serviceManager.keepAlive(on: loop)
        serviceManager.follow(on: loop) { [listeners] in listeners.context.serviceStatus }
        loop.run()
    }

    /// Makes the dates of the sessions follow the wall clock from now on. With several nodes, `ShardRouter` does so.
    private func followWallClock() {
        let follower = WallClockFollower(sessions: sessions) { [loop] in
            loop.now + loop.wallClockLead
        }
        let check = { [listeners] in
            guard let step = follower.check() else { return }
            listeners.context.counters.clockSteps += 1
            WallClockFollower.log(step)
        }
        check()
        wallClockTimer = ScopedPendulum(on: loop, .seconds(1)) { _ in check() }
    }

    /// Called when the process did not run for some time: it was stopped or frozen, or the machine slept. Clients and devices
    /// have given up meanwhile what they sent before, or have sent it elsewhere, so it is dropped. If the time was longer than
    /// the limit `stoppedMs`, the timers continue as after a restart.
    private func stoodStill(_ standstill: Standstill) {
        listeners.dropInput()
        // Logged when the connections are closed: a client that connects after the line is served.
        let time = DurationText.words(standstill.duration)
        Log.write(
            .warning,
            "the process stood still for \(time): what was sent to it before is not executed, and connections are closed"
        )
        let limit = listeners.context.limits.standstill
        let restartsTimers = limit > .zero && standstill.duration >= limit
        if let router { return router.stoodStill(restartsTimers: restartsTimers) }
        guard restartsTimers else { return }
        guard let durability else {
            sessions.continueAfterStandstill(since: standstill.lastAlive, [])
            return
        }
        durability.stoodStill()
    }

    /// Connects to the database that this node shares with other nodes, and joins these nodes. Returns nil if the options name
    /// no database. Runs the event loop until the node has joined.
    private static func join(
        _ options: Options, _ newInstance: String, _ serviceManager: ServiceManager,
        on loop: LibeventLoop
    ) throws -> JoinedCluster? {
        guard let location = try options.store.databaseLocation else { return nil }
        let digest = ConfigurationDigest.of(options)
        let start = try ClusterStart(
            location, options, configurationDigest: digest, on: loop
        ) { sentence in
            // A node may wait long for the database. These calls tell the service manager that the daemon does not hang.
            serviceManager.ready(sentence)
            serviceManager.keepAlive(on: loop)
        }
        return try start.run(newInstance: newInstance)
    }

    /// Stops the daemon: ends the connections when their last replies are read, writes the remaining rows, and ends the loop. A
    /// second call, for a second signal, ends the loop at once.
    private func stop() {
        guard !listeners.isStopping else { return loop.stop() }
        serviceManager.stopping()
        listeners.stop { [self] in
            let endLoop = { [self] in
                if let temporaryDirectory { rmdir(temporaryDirectory) }
                loop.stop()
            }
            let closeStore = { [self] in
                sharedTokens?.stop()
                if let router { return router.close(endLoop) }
                guard let durability else { return endLoop() }
                durability.close(endLoop)
            }
            // The outputs of the programs that end now are recorded.
            guard let outputs = listeners.context.outputs else { return closeStore() }
            outputs.endPrograms(closeStore)
        }
    }

    /// Reads the token file that the options name.
    private static func tokens(_ options: Options) throws(StartupError) -> TokenFile {
        do throws(TokenFile.TokenError) {
            return try TokenFile(options.access.tokenFile(options.store))
        } catch {
            throw StartupError(why: error.why)
        }
    }

    /// Returns an instance name that is unique to this start: 64 random bits as 16 hexadecimal digits.
    private static func newInstance() -> String {
        let number = UInt64.random(in: .min ... .max)
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
