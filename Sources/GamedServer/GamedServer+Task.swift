import EventLoop
public import GameFlow
import Glibc
import Net
import Parts
import Shards
import Support
import Synchronization

extension GamedServer {
    /// Runs the daemon with these flows beside the rest of a program, until the task is cancelled. `options` are the words of a
    /// command line, without the name of the program: `["--http", "127.0.0.1:8080", "--state-dir", "/var/lib/heist"]`.
    ///
    /// The daemon runs on a thread of its own. It installs no signal handler, changes neither the umask nor the directory of the
    /// process, and does not end the process. It sends no status to the service manager of the process and takes no sockets from
    /// it, because these belong to the program. It raises the soft limit of open files as far as its clients need. It loads
    /// libraries of Debian when it first needs them, and a missing one ends the process: install those that
    /// `debian-packages.txt` lists.
    ///
    /// Files that it creates get the modes that the umask of the process leaves, except UNIX sockets, whose modes are those of
    /// the options. A program of a `run=` line is killed at its end with its process group; what it leaves behind outside of the
    /// group is not.
    ///
    /// After the cancellation the daemon answers the requests that it has received, stores everything and closes its sockets; then
    /// this function returns. A daemon that still waits for its database ends at once. One daemon may run at a time.
    ///
    /// Throws `GamedServer.StartError` if it cannot start: a mistake in the options or in a flow, a socket that is in use, a
    /// journal that is damaged. `--help`, `--version`, `--check` and `--prepare` are mistakes here, because the program gamed
    /// only prints something for them, and ends.
    public static func run(flows: sending [any Flow], options: [String]) async throws {
        guard isRunning.exchange(true, ordering: .acquiringAndReleasing) == false else {
            throw StartError(lines: ["a daemon runs in this process already"])
        }
        defer { isRunning.store(false, ordering: .releasing) }
        let stop: ThreadInbox<Void>
        do { stop = try ThreadInbox() } catch { throw StartError(error, nil) }
        // The flows are sent to the thread, and no other thread has them.
        nonisolated(unsafe) let flows = flows
        let result: Result<Void, StartError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do {
                    try WorkerThread.start {
                        continuation.resume(returning: serve(flows, options, until: stop))
                    }
                } catch { continuation.resume(returning: .failure(StartError(error, nil))) }
            }
        } onCancel: {
            stop.send(())
        }
        try result.get()
    }

    /// Why the daemon could not start.
    public struct StartError: Error, CustomStringConvertible, Sendable {
        /// The mistakes, each as a sentence: those that the log of the program gamed would have.
        public let lines: [String]

        public var description: String { lines.joined(separator: "\n") }

        init(lines: [String]) { self.lines = lines }

        init(_ error: any Error, _ options: Options?) {
            lines = StartSentences.lines(error, options)
        }
    }

    private static let isRunning = Atomic(false)

    /// Runs the daemon on this thread until `stop` gets a message.
    private static func serve(
        _ flows: [any Flow], _ arguments: [String], until stop: ThreadInbox<Void>
    ) -> Result<Void, StartError> {
        // Writes to a closed connection return an error on this thread, whatever the program does with these signals.
        SignalHandle.block([SIGPIPE, SIGXFSZ])
        let flows = flows.map { $0.anyFlow }
        let mistakes = FlowCheck.mistakes(flows)
        guard mistakes.isEmpty else { return .failure(StartError(lines: mistakes)) }
        let options: Options
        do throws(Options.OptionsError) {
            switch try Options.read(arguments, flows: flows, isStart: true) {
            case .run(let read) where !read.store.preparesDatabase: options = read
            case .run, .check, .showConfiguration, .help, .version:
                let names = "--help, --version, --check, --show-config and --prepare"
                return .failure(
                    StartError(lines: ["\(names) are for the program gamed, which ends after them"])
                )
            }
        } catch { return .failure(StartError(error, nil)) }
        do {
            try options.log.begin()
            let manager = ServiceManager(isForProgram: false)
            let sockets = try StartSockets(options, ServiceSockets(manager))
            try serve(sockets, options, flows, arguments, in: .embedding(stop))
            return .success(())
        } catch { return .failure(StartError(error, options)) }
    }
}
