import GameFlow
import Glibc
import Sessions
import Shell
import Timers
import Wire

/// The daemon: reads its options, builds the loop, the sessions and the server, and runs.
@main struct Daemon {
    static func main() {
        let flows = AnyFlow.shipped()
        do throws(UsageError) {
            let arguments = Array(CommandLine.arguments.dropFirst())
            switch try Options.read(arguments, flows: flows.map(\.name)) {
            case .help: print(Options.help(flows: flows.map(\.name)))
            case .version: print("gamed \(gamedVersion)")
            case .run(let options): exit(run(options, flows))
            }
        } catch {
            printError("gamed: \(error.message)\nTry 'gamed --help'.")
            exit(2)
        }
    }

    /// Runs until a signal ends it; the exit status.
    private static func run(_ options: Options, _ flows: [AnyFlow]) -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        let main = flows.first { $0.name == options.flow && options.opensMain }
        if let mistake = main?.mistakes.first {
            Log.write(.error, "the flow \(options.flow) is broken: \(mistake)")
            return 1
        }
        do {
            let socket = try UnixSocket(options.socket, makesDirectory: options.isStandardSocket)
            try serve(socket, options, flows)
            return 0
        } catch let error as UnixSocket.Unavailable {
            Log.write(.error, error.why)
        } catch {
            Log.write(.error, "could not start: \(error)")
        }
        return 1
    }

    private static func serve(
        _ socket: consuming UnixSocket, _ options: Options, _ flows: [AnyFlow]
    ) throws {
        let loop = try EventLoop()
        let timeline: any Timeline = options.isVirtual ? VirtualTime() : loop
        let sessions = Sessions(flows, on: timeline)
        if options.opensMain {
            _ = try sessions.open(.main, sessions.flow(options.flow), from: .operatorAtStart)
        }
        var limits = ServerLimits()
        limits.clients = Descriptors.raiseLimit(for: limits.clients)
        let identity = Dispatcher.Identity(
            version: gamedVersion, instance: newInstance(), limits: limits.named)
        let conversation = Conversation(Dispatcher(sessions, identity))
        let server = try Server(socket, on: loop, sessions, conversation, limits: limits)
        let manager = ServiceManager()
        var signals = try [SIGTERM, SIGINT].map { number in
            try SignalHandle(number, on: loop) { stop(server, loop, manager) }
        }
        signals.append(
            try SignalHandle(SIGHUP, on: loop) {
                Log.write(.info, "SIGHUP: there is no configuration to read again")
            })
        let clock = options.isVirtual ? "virtual clock" : "real clock"
        let main = options.opensMain ? "session main plays \(options.flow)" : "no session"
        Log.write(.info, "\(gamedVersion) listens at \(options.socket); \(main); \(clock)")
        manager.ready("\(main); \(clock)")
        manager.keepAlive(on: loop)
        withExtendedLifetime((server, signals)) { loop.run() }
        Log.write(.info, "ended")
    }

    /// Ends cleanly; told so a second time, at once.
    private static func stop(_ server: Server, _ loop: EventLoop, _ manager: ServiceManager) {
        guard !server.isStopping else { return loop.stop() }
        manager.stopping()
        server.stop { loop.stop() }
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
    static var operatorAtStart: Source {
        Source(.terminal, peer: .process(pid: getpid(), uid: getuid(), gid: getgid()))
    }
}
