import Access
import CLinux
import Durability
import EventLoop
import GameFlow
import Glibc
import Journal
import RPC
import Sessions
import Shell
import ShippedFlows
import Support
import Timers

/// The entry point: reads the options, then runs the daemon.
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

    /// Checks what the options refer to, and prints the mistakes. Returns the exit status.
    private static func check(_ options: Options, _ flows: [AnyFlow]) -> Int32 {
        let check = OptionsCheck(options, flows)
        for note in check.notes { tell("note: \(note)") }
        for mistake in check.mistakes { tell(mistake) }
        return check.mistakes.isEmpty ? 0 : 2
    }

    /// Prints a mistake in the command line or in a file to standard error.
    private static func tell(_ sentence: String) {
        printError("gamed: \(TerminalText.escaped(sentence))")
    }

    /// Runs until a signal ends the daemon. Returns the exit status.
    private static func run(_ options: Options, _ flows: [AnyFlow]) -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)  // an exceeded file size limit is handled like a full disk
        umask(0o027)  // other users may not read stored data
        let main = flows.first { $0.name == options.flow && options.opensMain }
        if let mistake = main?.mistakes.first {
            Log.write(.error, "the flow \(options.flow) is broken: \(mistake)")
            return 1
        }
        do {
            let socket = try UnixSocket(options.socket, makesDirectory: options.isStandardSocket)
            try serve(socket, options, flows)
            return 0
        } catch let error as Listeners.Unavailable {
            Log.write(.error, error.why)
        } catch let error as UnixSocket.Unavailable {
            Log.write(.error, error.why)
        } catch let error as StateDirectory.Unusable {
            Log.write(.error, "the state directory \(options.stateDirectory ?? ""): \(error.why)")
        } catch let error as ScenarioFileError {
            for sentence in error.sentences { Log.write(.error, sentence) }
        } catch let error as CaptureFileError {
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
        let daemon = try RunningDaemon(socket, options, flows, arguments: arguments)
        let status = [
            describe(daemon.sessions), options.isVirtual ? "virtual clock" : "real clock",
            options.stateDirectory.map { "journal in \($0)" } ?? "no journal",
        ].joined(separator: "; ")
        Log.write(.info, "\(gamedVersion) listens at \(options.socket); \(status)")
        daemon.run(status)
        Log.write(.info, "ended")
    }

    private static func describe(_ sessions: Sessions) -> String {
        guard let main = try? sessions.session(.main) else {
            return sessions.count == 0 ? "no session" : "\(sessions.count) sessions"
        }
        return "session main plays \(main.flow.name)"
    }
}

extension Source {
    /// The source that is recorded when the daemon itself opens session `main`: its own process.
    static let operatorAtStart = Source(
        .terminal, peer: .process(pid: getpid(), uid: getuid(), gid: getgid()))
}
