import Access
import CLinux
import Durability
import EventLoop
import GameFlow
import Glibc
import Journal
import Sessions
import Shell
internal import ShippedFlows
import Support
import Timers
import Wire

/// The daemon: reads its options, builds the loop, the sessions and the server, and runs.
@main struct Daemon {
    static func main() {
        let flows = AnyFlow.shipped()
        do throws(Options.Mistake) {
            switch try Options.read(arguments, flows: flows.map(\.name)) {
            case .help: print(Options.help(flows: flows.map(\.name)))
            case .version: print("gamed \(gamedVersion)")
            case .checked(let options): exit(check(options, flows))
            case .run(let options):
                let status = run(options, flows)
                Log.finish()
                exit(status)
            }
        } catch {
            for sentence in error.sentences { tell(sentence) }
            if case .usage = error { printError("Try 'gamed --help'.") }
            exit(2)
        }
    }

    private static var arguments: [String] { Array(CommandLine.arguments.dropFirst()) }

    /// Checks what the options name, and says what is wrong with it; the exit status.
    private static func check(_ options: Options, _ flows: [AnyFlow]) -> Int32 {
        let check = OptionsCheck(options, flows)
        for note in check.notes { tell("note: \(note)") }
        for mistake in check.mistakes { tell(mistake) }
        return check.mistakes.isEmpty ? 0 : 2
    }

    /// Says on standard error what is wrong with what was typed, or with a file.
    private static func tell(_ sentence: String) {
        printError("gamed: \(TerminalText.escaped(sentence))")
    }

    /// Runs until a signal ends it; the exit status.
    private static func run(_ options: Options, _ flows: [AnyFlow]) -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)  // a limit of file sizes is a full disk, and no reason to die
        umask(0o027)  // what is kept is nobody else's business
        let main = flows.first { $0.name == options.flow && options.opensMain }
        if let mistake = main?.mistakes.first {
            Log.write(.error, "the flow \(options.flow) is broken: \(mistake)")
            return 1
        }
        do {
            let socket = try UnixSocket(options.socket, makesDirectory: options.isStandardSocket)
            try serve(socket, options, flows)
            return 0
        } catch let error as Front.Unavailable {
            Log.write(.error, error.why)
        } catch let error as UnixSocket.Unavailable {
            Log.write(.error, error.why)
        } catch let error as StateDirectory.Unusable {
            Log.write(.error, "the state directory \(options.stateDirectory ?? ""): \(error.why)")
        } catch let error as ScenarioFile.Unusable {
            for sentence in error.sentences { Log.write(.error, sentence) }
        } catch let error as CaptureFile.Unavailable {
            Log.write(.error, error.why)
        } catch let error as StoreError {
            Log.write(.error, "the journal in \(options.stateDirectory ?? ""): \(error.why)")
        } catch {
            Log.write(.error, "could not start: \(error)")
        }
        return 1
    }

    private static func serve(
        _ socket: consuming UnixSocket, _ options: Options, _ flows: [AnyFlow]
    ) throws {
        let loop = try LibeventLoop()
        var instance = newInstance()
        var durability: Durability?
        if let path = options.stateDirectory {
            let directory = try StateDirectory(
                options, at: path, answers: Limits().ids, newInstance: instance)
            instance = directory.instance
            durability = try Durability(directory, options, flows, on: loop)
        }
        // What was read to begin with is of no use any more, and would stay reserved for ever.
        malloc_trim(0)
        let sessions = durability?.sessions ?? volatile(options, flows, loop)
        #if DEBUG
            sessions.unrestorable = { Log.write(.error, $0.sentence) }
        #endif
        try openMain(sessions, options)
        // Opens main again only if the daemon's own opening was undone: a client was told that its opening was
        // undone, and a session that was closed stays closed.
        durability?.keeper.back = { undone in
            let mains = undone.filter { $0.session == .main }
            guard mains.contains(where: { $0.source === Source.operatorAtStart }) else { return }
            try? openMain(sessions, options)
        }
        var limits = options.limits
        limits.clients = Descriptors.raiseLimit(for: limits.clients)
        let identity = Dispatcher.Identity(
            version: gamedVersion, instance: instance, limits: limits.named)
        let gatekeeper = Gatekeeper(
            Rules(options.rules, ownUID: Rules.ownUID), try tokens(options))
        let dispatcher = Dispatcher(
            sessions, identity, archive: durability?.keeper,
            maintenance: durability?.maintenance, tokens: gatekeeper)
        durability?.maintenance.tokens = { [unowned gatekeeper] in gatekeeper.tokenText }
        let exchange = Exchange(
            on: loop, sessions, Conversation(dispatcher), gatekeeper, keeper: durability?.keeper,
            limits: limits)
        dispatcher.holder = { [unowned exchange] in exchange.limits.named }
        let bluetooth = try options.bluetooth.map {
            try BluetoothSource(options, $0, sessions, on: loop)
        }
        dispatcher.devices = bluetooth
        let front = try Front(socket, options, exchange, bluetooth, instance: instance)
        let manager = ServiceManager()
        var signals = try [SIGTERM, SIGINT].map { number in
            try SignalHandle(number, on: loop) { stop(front, durability, loop, manager) }
        }
        signals.append(
            try SignalHandle(SIGHUP, on: loop) {
                front.readAgain(arguments, flows: flows.map(\.name))
            })
        let status = [
            describe(sessions), options.isVirtual ? "virtual clock" : "real clock",
            options.stateDirectory.map { "kept in \($0)" } ?? "nothing is kept",
        ].joined(separator: "; ")
        Log.write(.info, "\(gamedVersion) listens at \(options.socket); \(status)")
        manager.ready(status)
        manager.keepAlive(on: loop)
        withExtendedLifetime((front, signals, durability)) { loop.run() }
        Log.write(.info, "ended")
    }

    private static func tokens(_ options: Options) throws(Front.Unavailable) -> TokenFile {
        do throws(TokenFile.Failure) { return try TokenFile(options.tokenFile) } catch {
            guard case .file(let why) = error else { throw Front.Unavailable(why: "no tokens") }
            throw Front.Unavailable(why: why)
        }
    }

    /// Sessions of which nothing is kept.
    private static func volatile(_ options: Options, _ flows: [AnyFlow], _ loop: LibeventLoop)
        -> Sessions
    {
        Sessions(flows, on: options.isVirtual ? VirtualClock() : loop)
    }

    /// Session `main`, unless it is there already, or could not be taken up again.
    private static func openMain(_ sessions: Sessions, _ options: Options) throws {
        let main = try? sessions.session(.main)
        let isThere = main != nil
        if let main, options.opensMain, main.flow.name != options.flow {
            Log.write(
                .warning,
                "session main was kept with flow \(main.flow.name); --flow \(options.flow) is for a new session main only"
            )
        }
        guard options.opensMain, !isThere, sessions.quarantine(of: .main) == nil else { return }
        _ = try sessions.open(
            .main, sessions.flow(options.flow), RequestContext(from: .operatorAtStart))
    }

    private static func describe(_ sessions: Sessions) -> String {
        guard let main = try? sessions.session(.main) else {
            return sessions.count == 0 ? "no session" : "\(sessions.count) sessions"
        }
        return "session main plays \(main.flow.name)"
    }

    /// Ends cleanly; told so a second time, at once.
    private static func stop(
        _ front: Front, _ durability: Durability?, _ loop: LibeventLoop, _ manager: ServiceManager
    ) {
        guard !front.server.isStopping else { return loop.stop() }
        manager.stopping()
        front.stop {
            guard let durability else { return loop.stop() }
            durability.close { loop.stop() }
        }
    }

    /// A name that no other start has.
    private static func newInstance() -> String {
        let number = UInt64.random(in: .min ... .max)
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}

extension Source {
    /// Whoever started the daemon, and with it session `main`.
    static let operatorAtStart = Source(
        .terminal, peer: .process(pid: getpid(), uid: getuid(), gid: getgid()))
}
