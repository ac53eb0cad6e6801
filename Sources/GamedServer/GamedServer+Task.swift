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
    /// process, and does not end the process. Files that it creates get the modes that the umask of the process leaves. After the
    /// cancellation it answers the requests that it has received, stores everything and closes its sockets; then this function
    /// returns. One daemon may run at a time.
    ///
    /// Throws `GamedServer.StartError` if it cannot start: a mistake in the options or in a flow, a socket that is in use, a
    /// journal that is damaged.
    public static func run(flows: sending [any Flow], options: [String]) async throws {
        guard isRunning.exchange(true, ordering: .acquiringAndReleasing) == false else {
            throw StartError(lines: ["a daemon runs in this process already"])
        }
        defer { isRunning.store(false, ordering: .releasing) }
        let stop: ThreadInbox<Void>
        do { stop = try ThreadInbox() } catch { throw StartError(error) }
        // The flows are sent to the thread, and no other thread has them.
        nonisolated(unsafe) let flows = flows
        let result: Result<Void, StartError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do {
                    try WorkerThread.start {
                        continuation.resume(returning: serve(flows, options, until: stop))
                    }
                } catch { continuation.resume(returning: .failure(StartError(error))) }
            }
        } onCancel: {
            stop.send(())
        }
        try result.get()
    }

    /// Why the daemon could not start.
    public struct StartError: Error, CustomStringConvertible, Sendable {
        /// The mistakes, each as a sentence.
        public let lines: [String]

        public var description: String { lines.joined(separator: "\n") }

        init(lines: [String]) { self.lines = lines }

        init(_ error: any Error) {
            lines =
                (error as? any DescribedError)?.lines ?? [GamedServer.sentence(error) ?? "\(error)"]
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
        do {
            guard case .run(let options) = try Options.read(arguments, flows: flows, isStart: true)
            else {
                return .failure(
                    StartError(lines: ["--help, --version and --check are for the program gamed"]))
            }
            // Sockets that a service manager has passed belong to the program.
            let none = try ServiceSockets([]) { _ in }
            let sockets = try StartSockets(options, none, changesMask: false)
            try serve(sockets, options, flows, arguments, endingAt: .message(stop))
            return .success(())
        } catch { return .failure(StartError(error)) }
    }
}
