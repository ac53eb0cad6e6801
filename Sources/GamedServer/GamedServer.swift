import CLinux
import Durability
import EventLoop
public import GameFlow
import Glibc
import JSONCoding
import Net
import Parts
import PostgresStore
import RPC
import Sessions
import Shards
import Shell
import Support
import Synchronization
import Timers

/// The program gamed, for a program that adds flows of its own.
///
/// ```swift
/// @main struct Heist { static func main() { GamedServer.run(flows: .shipped + [HeistFlow()]) } }
/// ```
public enum GamedServer {
    /// Runs the daemon with these flows, and ends the process.
    ///
    /// The program has all options, files and guarantees of gamed. It reads its command line and the configuration, opens its
    /// sockets and restores its sessions. `--help` prints the options; gamed(8) describes them. The default of `--flow` is
    /// `game` if a flow has this name, otherwise the first flow. To read the journal of this program, gamectl needs the same
    /// flows. See the type `GamectlTool` in the module `GamectlTool`.
    ///
    /// Call this function on the main thread, before the program starts other threads. The function sets signal
    /// handlers and the process's umask, and speaks to the service manager of the process.
    ///
    /// The exit status is:
    /// - 0 after SIGTERM or SIGINT
    /// - 1 if the daemon could not run
    /// - 2 for a mistake in the command line or the configuration
    ///
    /// The daemon does not start if a flow has mistakes, if two flows have the same name, or if `flows` is empty. Each mistake
    /// is logged on a line of its own.
    public static func run(flows: [any Flow]) -> Never {
        // A signal that arrives during the start waits until `RunningDaemon` handles it.
        SignalHandle.block(handledSignals)
        StandardStreams.claim()
        let flows = flows.map { $0.anyFlow }
        do throws(Options.OptionsError) {
            switch try Options.read(arguments, flows: flows, isStart: true) {
            case .help: print(Options.help(flows: flows))
            case .version: print(BuildInformation.line("gamed"))
            case .showConfiguration(let options): showConfiguration(options)
            case .check(let options):
                SignalHandle.unblock(handledSignals)
                exit(check(options, flows))
            case .run(let options):
                let status = run(options, flows)
                Log.finish()
                fflush(nil)
                // A thread may still be connecting to a database; exit(3) would free what it uses.
                _exit(status)
            }
        } catch {
            for line in error.lines { Log.print(.error, line) }
            if case .usage = error { printError("Try 'gamed --help'.") }
            exit(2)
        }
        if let why = StandardStreams.flushOutput() {
            printError("gamed: standard output: \(why)")
            exit(1)
        }
        exit(0)
    }

    /// The signals that end the daemon, and the signal to read its configuration again.
    private static let handledSignals = [SIGTERM, SIGINT, SIGHUP]

    private static var arguments: [String] { Array(CommandLine.arguments.dropFirst()) }

    /// Prints the settings as a line of JSON.
    private static func showConfiguration(_ options: Options) {
        let line = JSONWriter.bytes { $0.object(EffectiveSettings(options).members) }
        print(String(decoding: line, as: UTF8.self))
    }

    /// Checks what the options refer to, and prints the mistakes. Returns the exit status.
    private static func check(_ options: Options, _ flows: [AnyFlow]) -> Int32 {
        let check = OptionsCheck(options, flows)
        for note in check.notes { Log.print(.warning, "note: \(note)") }
        for mistake in check.mistakes { Log.print(.error, mistake) }
        return check.mistakes.isEmpty ? 0 : 2
    }

    /// Runs until a signal ends the daemon. Returns the exit status.
    private static func run(_ options: Options, _ flows: [AnyFlow]) -> Int32 {
        ChildProcesses.areAllOwn.store(true, ordering: .relaxed)
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)  // an exceeded file size limit is handled like a full disk
        umask(0o027)  // users outside the daemon's group may not read stored data
        let mistakes = FlowCheck.mistakes(flows)
        guard mistakes.isEmpty else {
            for mistake in mistakes { Log.write(.error, .start, mistake) }
            return 1
        }
        do {
            try options.log.begin()
            if options.store.preparesDatabase { return try prepare(options) }
            let manager = ServiceManager(isForProgram: true)
            let sockets = try StartSockets(options, ServiceSockets(manager))
            try serve(sockets, options, flows, arguments, in: .program(manager))
            return 0
        } catch {
            for line in StartSentences.lines(error, options) { Log.write(.error, .start, line) }
            return isMistake(error) ? 2 : 1
        }
    }

    /// Whether an error is a mistake in the unit or the command line, which a further start would repeat. These could not be found
    /// before the sockets were taken over and the journal was read.
    private static func isMistake(_ error: any Error) -> Bool {
        error is ServiceSockets.UnitError || error is StartSessions.UnknownMainFlowError
    }

    /// Creates the daemon, and runs it until `host` ends it. Throws if it cannot start. `arguments` are those of the command line.
    static func serve(
        _ sockets: StartSockets, _ options: Options, _ flows: [AnyFlow],
        _ arguments: [String], in host: Host
    ) throws {
        let daemon: RunningDaemon
        do {
            daemon = try RunningDaemon(sockets, options, flows, arguments: arguments, in: host)
        } catch is ClusterStart.InterruptedError {
            Log.write(.info, .stop, "ended")
            return
        }
        let status = [
            describe(daemon.shards), options.sessions.isVirtual ? "virtual clock" : "real clock",
            daemon.journalText,
        ].joined(separator: "; ")
        Log.write(
            .info, .start,
            "\(gamedVersion) (commit \(BuildInformation.commit)) listens at \(sockets.paths); \(status)"
        )
        daemon.run(status)
        Log.write(.info, .stop, "ended")
    }

    /// Creates or upgrades the database's tables. Returns the exit status.
    private static func prepare(_ options: Options) throws -> Int32 {
        guard let location = try options.store.databaseLocation else { return 2 }
        switch try StorePreparation.prepare(location) {
        case .prepared(let old, let new):
            Log.write(
                .info, .start,
                old == new
                    ? "the tables have version \(new) already"
                    : old == 0
                        ? "the tables have version \(new) now; there were none before"
                        : "the tables have version \(new) now; before, they had version \(old)")
            return 0
        case .forbidden(let why, let sql):
            Log.write(
                .error, .start, "\(why): run this SQL as a role that may create and change tables")
            print(sql)
            return 1
        }
    }

    /// The part of the first log line about the sessions.
    private static func describe(_ shards: OwnShards) -> String {
        guard let main = try? shards.only?.sessions.session(.main) else {
            let count = shards.sessionCount
            return count == 0 ? "no session" : CountText.write(count, "session")
        }
        return "session main plays \(main.flow.name)"
    }
}
