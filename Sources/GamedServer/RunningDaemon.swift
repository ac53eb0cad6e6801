import CLinux
import Durability
import EventLoop
import GameFlow
import Glibc
import Journal
import RPC
import Sessions
import Shell
import Timers

/// The daemon with all its parts. The initializer creates and connects them, in the order of their
/// dependencies.
final class RunningDaemon {
    let sessions: Sessions
    private let loop: LibeventLoop
    private let durability: Durability?
    private let front: Listeners
    private let manager = ServiceManager()
    private var signals: [SignalHandle] = []
    /// Whether the daemon ended because it may not go on.
    private var hasFailed = false

    init(
        _ socket: consuming UnixSocket, _ options: Options, _ flows: [AnyFlow], arguments: [String]
    ) throws {
        loop = try LibeventLoop()
        // The journal first: a state directory that was made from a backup contains the tokens.
        let newInstance = Self.newInstance()
        var directory = try Self.restore(options, newInstance, manager, on: loop)
        let instance = directory?.instance ?? newInstance
        let authorizer = Authorizer(
            Rules(options.rules, ownUID: Rules.ownUID), try Self.tokens(options))

        let library = FlowLibrary(flows, options)

        // The sessions, restored from the state directory if there is one.
        durability = try directory.map { [loop] in
            try Durability($0, options, library, authorizer, on: loop)
        }
        sessions =
            durability?.sessions
            ?? Sessions(
                library.catalog, on: options.isVirtual ? VirtualClock() : loop)
        let recovery = directory.map { [loop] in Self.recovery($0, options, on: loop) }
        // Releases the rows that were read: they are no longer needed.
        directory = nil
        malloc_trim(0)
        #if DEBUG
            sessions.unrestorable = { Log.write(.error, $0.sentence) }
        #endif
        // The parts that answer requests.
        var limits = options.limits
        limits.clients = Descriptors.raiseLimit(for: limits.clients)
        let bluetooth = try options.bluetooth.map { [sessions, loop] in
            try BluetoothSource(options, $0, sessions, on: loop)
        }
        let room = RoomSource(options, sessions, on: loop) { [durability] in
            durability?.groupCommit.isFull ?? false
        }
        let drawer = try GraphvizDrawer(on: loop)
        library.drawer = drawer
        let outputs = try RoomOutputs(options, sessions, room, on: loop, instance: instance)
        if let durability, let recovery { outputs.recover(recovery(durability)) }
        let links = RoomLinks(options, sessions, instance: instance)
        // After the outputs, which see every change of this start.
        try StartSessions(options).open(in: sessions)
        let dispatcher = Dispatcher(
            sessions,
            Dispatcher.ServerIdentity(
                version: gamedVersion, instance: instance, limits: limits.named),
            archive: durability?.groupCommit, maintenance: durability?.maintenance,
            tokens: authorizer,
            devices: bluetooth, inputs: room, outputs: outputs, flowFiles: library,
            drawer: drawer)
        let context = ServerContext(
            on: loop, sessions, ProtocolHandler(dispatcher), authorizer,
            groupCommit: durability?.groupCommit,
            limits: limits)

        let publisher = MQTTPublisher(
            options, sessions, room, context.protocolHandler.encoder)
        context.rowsRolledBack = { [unowned outputs] in outputs.rolledBack() }

        // The listening sockets.
        front = try Listeners(
            socket, options, context, library,
            sources: (bluetooth.map { [$0] } ?? []) + [publisher, room, outputs, links],
            instance: instance)
        durability?.ownershipWasLost = { [unowned self] in
            hasFailed = true
            loop.stop()
        }
        signals = try [SIGTERM, SIGINT].map { [unowned self] number in
            try SignalHandle(number, on: loop) { [unowned self] in stop() }
        }
        signals.append(
            try SignalHandle(SIGHUP, on: loop) { [front] in
                front.readAgain(arguments, flows: flows)
            })
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

    /// Runs until a signal ends the daemon. `status` is a sentence for the service manager. Returns whether the
    /// daemon ended as it should.
    func run(_ status: String) -> Bool {
        manager.ready(status)
        manager.keepAlive(on: loop)
        loop.run()
        return !hasFailed
    }

    /// Reads the journal; nil without one. With a database it waits until this node may be the active one.
    private static func restore(
        _ options: Options, _ newInstance: String, _ manager: ServiceManager, on loop: LibeventLoop
    ) throws -> (any RestoredJournal)? {
        let answers = Limits().ids
        if let location = try options.location {
            let start = try PostgresJournalStart(location, options, on: loop) { sentence in
                // The service manager must not take the standby for one that hangs.
                manager.ready(sentence)
                manager.keepAlive(on: loop)
            }
            return try start.run(answers: answers, newInstance: newInstance)
        }
        return try options.stateDirectory.map {
            try StateDirectory(options, at: $0, answers: answers, newInstance: newInstance)
        }
    }

    /// Stops the daemon cleanly; on the second call immediately.
    private func stop() {
        guard !front.isStopping else { return loop.stop() }
        manager.stopping()
        front.stop { [self] in
            guard let durability else { return loop.stop() }
            durability.close { [self] in loop.stop() }
        }
    }

    private static func tokens(_ options: Options) throws(ListenerError) -> TokenFile {
        do throws(TokenFile.TokenError) { return try TokenFile(options.tokenFile) } catch {
            guard case .file(let why) = error else { throw ListenerError(why: "no tokens") }
            throw ListenerError(why: why)
        }
    }

    /// A name that is unique to this start.
    private static func newInstance() -> String {
        let number = UInt64.random(in: .min ... .max)
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
