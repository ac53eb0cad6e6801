import Access
import CLinux
import Cluster
import Connections
import EventLoop
import GameFlow
import Glibc
import Journal
import Net
import Parts
import PostgresStore
import RPC
import Room
import Sessions
import Shards
import Shell
import StatisticsPart
import Support
import Timers

/// The daemon with all its parts. The initializer creates and connects the parts, in the order of
/// their dependencies; `run` then serves clients. `GamedServer` creates this object.
final class RunningDaemon {
    /// The shards of this process.
    let shards: OwnShards
    /// Where the journal is, for the log.
    let journalText: String
    private let loop: LibeventLoop
    private let storage: Storage
    private let listeners: Listeners
    private let outputs: RoomOutputs
    /// Checks once a second whether the wall clock was set.
    private var wallClockTimer = Ticker()
    private let serviceManager: ServiceManager
    /// Retains what the host uses to end the daemon, or to make it read its configuration again.
    private var hostWatchers: [AnyObject] = []

    /// Where the sessions are stored.
    private enum Storage {
        /// In the database that this node shares with others.
        case shared(JoinedCluster)
        /// In the journal of this daemon, if it has one. `archive` is nil without `--archive`.
        case own(archive: JournalArchive?)
    }

    /// Creates all parts. `sockets` are open already, but no connection is accepted yet. `flows` are the flows of the program.
    /// `arguments` are the arguments of the command line. At a reload they are read again, together with the configuration.
    init(
        _ sockets: StartSockets, _ options: Options, _ flows: [AnyFlow], arguments: [String],
        in host: Host
    ) throws {
        serviceManager = host.manager
        loop = try LibeventLoop()
        try loop.beginPulse()
        // This name is used only if no earlier instance can be continued.
        let newInstance = Self.newInstance()
        // The state directory is opened before the token file is read. A journal that was made from a backup contains the
        // tokens. `StateDirectory` writes these tokens into the token file.
        var directory = try options.store.stateDirectory.map {
            try StateDirectory(options, at: $0, answerLimit: Limits().ids, newInstance: newInstance)
        }
        journalText = Self.journalText(options, isNew: directory?.isNew == true)
        let cluster = try Self.join(options, newInstance, in: host, on: loop)
        let instance = cluster?.instance ?? directory?.instance ?? newInstance
        let authorizer = Authorizer(
            Rules(options.access.rules, ownUID: Rules.ownUID), try Self.tokens(options),
            sharedTokens: cluster?.tokens)

        let limits = options.limits.withinDescriptors
        let identity = Self.identity(options, instance: instance, limits)
        let diagramDrawer = GraphvizDrawer(on: loop)
        let library = FlowLibrary(flows, options, diagramDrawer, on: loop)

        // The rows of all sessions; none if each shard that this node acquires reads its own.
        var rows = try directory?.restoredRows(on: loop) ?? .none
        let clock = Self.clock(options, rows, cluster, on: loop)
        let shards = cluster?.router.shards ?? OwnShards()
        self.shards = shards
        let schedule = OutputSchedule()
        let environment = ShardEnvironment(
            loop: loop, options: options, library: library, diagramDrawer: diagramDrawer,
            identity: identity, schedule: schedule, busyShards: shards.busy, counts: shards.counts)
        // The sessions are restored before the devices are connected: events of devices do not wait meanwhile.
        if cluster == nil { shards.addOnly(Self.restore(rows, on: clock, environment)) }
        let dispatcher =
            shards.only?.dispatcher
            ?? Dispatcher(
                Sessions(library.catalog, on: clock), identity, diagramDrawer: diagramDrawer,
                surveyor: library.surveyor, loopTimers: loop.timerQueue)
        if let cluster {
            dispatcher.router = cluster.router
            dispatcher.sessionRequests = cluster.router
        }
        let requests = cluster.map { NodeRequests($0.router, library.catalog) }
        let accountLimits = AccountLimits(limits, on: loop)
        let sources = try DaemonSources(
            options, library.catalog, clock, shards,
            DeviceEvents(shards, requests, on: loop), requests, library.surveyor, accountLimits,
            on: loop, instance: instance)
        // The listeners add the addresses at which they serve pages.
        let pageAddress = PageAddress(options.web)
        let screenInvitations = ScreenInvitations(
            authorizer, library.catalog, sources.alerts, to: pageAddress, on: loop,
            shardNumber: shards.number)
        let followers = sources.followers + [screenInvitations]
        if let shard = shards.only {
            let mainError = shard.begin(followers, rows) { _ in true }
            // Releases the rows that were read, and returns their memory to the system: they are no longer needed.
            (directory, rows) = (nil, .none)
            malloc_trim(0)
            if let mainError { throw mainError }
        }

        // The parts that answer requests.
        let invitations = Invitations(authorizer, to: pageAddress, on: loop)
        let context = ServerContext(
            on: loop, dispatcher.sessions, shards.only?.handler ?? ProtocolHandler(dispatcher),
            authorizer, invitations, accountLimits, shards, cluster?.router, schedule,
            limits: limits)
        cluster?.router.clockWasSet = { [weak context] step in
            context?.metrics.clockSteps += 1
            WallClockFollower.log(step)
        }
        let screens = Screens(authorizer, cluster?.router ?? NoOtherNodes(), on: loop)
        let outputs = sources.outputs
        self.outputs = outputs
        context.sendRelayed = { [unowned outputs] in outputs.send($0, $1) }
        context.devicesAway = { sources.devicesAway }
        context.streamFollowers = [screens]

        let archive = Self.archive(shards, options, authorizer, on: loop)
        storage = cluster.map { .shared($0) } ?? .own(archive: archive)
        // The screens' invitations come after the library, whose flows they read.
        let parts: [any Part] =
            [authorizer] + sources.parts
            + [screens, invitations, library, screenInvitations] + (archive.map { [$0] } ?? [])
        // The listening sockets.
        listeners = try Listeners(
            sockets, options, context, library, pageAddress, parts: parts, instance: instance)
        screenInvitations.begin()
        sources.stateAlerts.add(CertificateAlerts(listeners.certificateWatch))
        if options.web.media != nil {
            sources.stateAlerts.add(
                MediaAlerts {
                    [unowned listeners, unowned context, unowned library, unowned shards] in
                    let played = shards.all.flatMap(\.sessions.playedFlows)
                    return (
                        context.media, listeners.mediaReadings, library.catalog.flows + played
                    )
                })
        }
        if let cluster {
            cluster.router.begin(
                environment, followers, sources.stuckMonitors.journalReads)
        } else {
            followWallClock()
        }
        _ = SlowWorkLog(loop, shards.counts)
        loop.stoodStill = { [unowned self] in stoodStill($0) }
        hostWatchers = try host.watchEnd(on: loop) { [unowned self] in stop() }
        hostWatchers += try host.watchReload(on: loop) { [listeners] in
            listeners.readAgain(arguments, flows: flows)
        }
        if let archive { sources.stateAlerts.add(archive) }
        let upkeep = Self.upkeep(shards, cluster, options, authorizer, on: loop)
        context.metrics.journalFigures = { upkeep.figures }
        let recordedGames = Self.recordedGames(shards, cluster)
        let sessions = dispatcher.sessions
        let nodes = cluster.map { $0.router as any StoreNodes } ?? SingleNode(identity)
        let otherMethods: [any PartMethod] =
            sources.methods + [
                NodesMethod(nodes), BackupMethod(upkeep),
                PruneMethod(upkeep),
                StatsMethod(JournalStatistics(recordedGames, sessions)),
                LeaderboardMethod(JournalLeaderboards(recordedGames, sessions, on: loop)),
                ReloadMethod(listeners, arguments, flows), ConfigMethod(listeners),
                ClientsMethod(on: loop) { [unowned listeners] in listeners.clients },
            ]
        for method in parts.flatMap(\.methods) + otherMethods { dispatcher.add(method) }
    }

    /// Where the journal is, for the log.
    private static func journalText(_ options: Options, isNew: Bool) -> String {
        if options.store.database != nil {
            return "journal in PostgreSQL, node \(options.node.name)"
        }
        guard let path = options.store.stateDirectory else { return "no journal" }
        return isNew ? "a new journal was created in \(path)" : "journal in \(path)"
    }

    /// The clock of the sessions. It never shows a time before the end of the last run. With several nodes it follows the
    /// database's clock, so that all nodes have the same time.
    private static func clock(
        _ options: Options, _ rows: RestoredRows, _ cluster: JoinedCluster?, on loop: LibeventLoop
    ) -> any TimerClock {
        let start = rows.read.lastAlive ?? .zero
        let zone = options.sessions.zone
        if options.sessions.isVirtual {
            let clock = VirtualClock(startingAt: start)
            clock.timerQueue.wallClock = .virtual(zone)
            return clock
        }
        let offset = cluster?.router.leases.clockOffset
        let clock = LoopClock(on: loop, notBefore: start, offset: offset ?? .zero)
        clock.setWallClock(zone, showing: loop.now + (offset ?? loop.wallClockLead))
        return clock
    }

    /// Restores the shard of a daemon that owns all sessions, shows the progress on a terminal, and logs the number of sessions
    /// and of rows.
    private static func restore(
        _ rows: RestoredRows, on clock: any TimerClock, _ environment: ShardEnvironment
    ) -> Shard {
        let count = rows.read.content.sessions.count
        var progress = Progress("gamed: restoring sessions", of: count)
        let shard = Shard(0, rows, Shard.Acquisition(), on: clock, environment) {
            progress.show($0)
            // Before the shard logs which sessions it could not restore.
            if $0 == count { progress.end() }
        }
        if let directory = environment.options.store.stateDirectory,
            let lastAlive = rows.read.lastAlive
        {
            let downtime = max(.zero, shard.sessions.now - lastAlive)
            Log.write(
                .info, .start,
                "\(CountText.write(shard.sessions.count, "session")) restored; "
                    + "down for \(DurationText.words(downtime)); \(CountText.write(rows.read.count, "row")) in \(directory)"
            )
        }
        return shard
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

    /// The journals for statistics, in the state directory or in the database that nodes share.
    private static func recordedGames(
        _ shards: OwnShards, _ cluster: JoinedCluster?
    ) -> any RecordedGames {
        if let cluster { return ShardJournals(store: cluster.store) }
        guard let shard = shards.only, shard.hasJournal else { return NoRecordedGames() }
        return OwnJournal(sessions: shard.sessions, store: shard.store)
    }

    /// Makes backups of the journal, and removes its old rows.
    private static func upkeep(
        _ shards: OwnShards, _ cluster: JoinedCluster?, _ options: Options,
        _ authorizer: Authorizer, on loop: LibeventLoop
    ) -> any JournalUpkeep {
        if let cluster {
            return JournalMaintenance(
                shards, cluster.store.shard(0), options.store, cluster.temporaryDirectory,
                authorizer, DatabaseFigures(cluster.store, on: loop), on: loop)
        }
        guard let store = shards.only?.store, let directory = options.store.stateDirectory else {
            return NoUpkeep()
        }
        return JournalMaintenance(
            shards, store, options.store, directory, authorizer,
            DirectoryFigures(shards, in: directory), on: loop)
    }

    /// Copies the journal to the folder that the options name; nil if they name none.
    private static func archive(
        _ shards: OwnShards, _ options: Options, _ authorizer: Authorizer, on loop: LibeventLoop
    ) -> JournalArchive? {
        guard let path = options.store.archive, let directory = options.store.stateDirectory,
            let shard = shards.only
        else { return nil }
        return JournalArchive(
            of: shard, in: path, authorizer, stateDirectory: directory,
            keeping: options.store.retention, on: loop)
    }

    /// Serves clients until the host ends the daemon. `status` is a sentence about the daemon, for the service manager.
    func run(_ status: String) {
        serviceManager.ready(status)
        serviceManager.keepAlive(on: loop)
        serviceManager.follow(on: loop) { [listeners] in listeners.context.serviceStatus }
        loop.run()
    }

    /// Makes the dates of the sessions follow the wall clock from now on. On a node, `ShardRouter` makes them follow the database's.
    private func followWallClock() {
        let check = { [loop, listeners, shards] in
            guard let step = shards.followWallClock(loop.now + loop.wallClockLead) else { return }
            listeners.context.metrics.clockSteps += 1
            WallClockFollower.log(step)
        }
        check()
        wallClockTimer.start(on: loop, .seconds(1)) { _ in check() }
    }

    /// Called when the process did not run for some time: it was stopped or frozen, or the machine slept. Clients and devices
    /// have given up meanwhile what they sent before, or have sent it elsewhere, so it is dropped. If the time was longer than
    /// the limit `stoppedMs`, the timers continue as after a restart.
    private func stoodStill(_ standstill: Standstill) {
        listeners.dropInput()
        // Logged when the connections are closed: a client that connects after the line is served.
        let time = DurationText.words(standstill.duration)
        Log.write(
            .warning, .clock,
            "the process stood still for \(time): what was sent to it before is not executed, and connections are closed"
        )
        listeners.context.metrics.stallTime += standstill.duration
        let limit = listeners.context.limits.standstill
        let restartsTimers = limit > .zero && standstill.duration >= limit
        switch storage {
        case .shared(let cluster): cluster.router.stoodStill(restartsTimers: restartsTimers)
        case .own: if restartsTimers { shards.only?.stoodStill() }
        }
    }

    /// Connects to the database that this node shares with other nodes, and joins these nodes. Returns nil if the options name
    /// no database. Runs the event loop until the node has joined.
    private static func join(
        _ options: Options, _ newInstance: String, in host: Host, on loop: LibeventLoop
    ) throws -> JoinedCluster? {
        guard let location = try options.store.databaseLocation else { return nil }
        let digest = ConfigurationDigest.of(options)
        let start = try ClusterStart(
            location, options, configurationDigest: digest, in: host, on: loop
        ) { sentence in
            // A node may wait long for the database. These calls tell the service manager that the daemon does not hang.
            host.manager.ready(sentence)
            host.manager.keepAlive(on: loop)
        }
        return try start.run(newInstance: newInstance)
    }

    /// Stops the daemon: ends the connections when their last replies are read, writes the remaining rows, and ends the loop. A
    /// second call, such as for a second signal, ends the loop at once.
    private func stop() {
        guard !listeners.isStopping else { return loop.stop() }
        serviceManager.stopping()
        // The events that wait for others are sent, so that their senders get their answers.
        for sessions in shards.sessions { sessions.endCollecting() }
        listeners.stop { [self] in
            let endLoop = { [self] in
                if case .shared(let cluster) = storage { rmdir(cluster.temporaryDirectory) }
                loop.stop()
            }
            let closeStore = { [self] in
                switch storage {
                case .shared(let cluster):
                    cluster.tokens.stop()
                    cluster.router.close(endLoop)
                case .own(let archive):
                    guard let shard = shards.only else { return endLoop() }
                    shard.end()
                    guard let archive else { return shard.store.close(endLoop) }
                    archive.end { shard.store.close(endLoop) }
                }
            }
            // The outputs of the programs that end now are recorded.
            outputs.endPrograms(closeStore)
        }
    }

    /// Reads the token file that the options name.
    private static func tokens(_ options: Options) throws(StartupError) -> TokenFile {
        do throws(TokenFile.TokenError) {
            return try TokenFile(
                options.access.tokenFile(stateDirectory: options.store.stateDirectory))
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
