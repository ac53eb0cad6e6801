import CLinux
package import EventLoop
import Glibc
import Outputs
import Shell
import Support
import Timers

/// Runs programs. For each run, the daemon has a thread that waits until the program has ended.
package final class ProgramRunner {
    /// The number of programs that run.
    package private(set) var count = 0
    private let loop: LibeventLoop
    private let jobs: WorkerJobs<ProgramRun>
    /// Reports the runs that could not begin.
    private let laterCalls: LaterCalls
    /// Tells the threads to kill their programs.
    private let end: ProgramEnd
    /// Called when no program runs any more, or when the time for the end is over; nil unless the daemon ends.
    private var hasEnded: (() -> Void)?
    private var endTimer = Alarm()
    /// Ends the processes that programs leave behind.
    private let orphans: OrphanReaper

    /// How long programs may run on when the daemon ends.
    private static let endGrace = Duration.seconds(1)

    package init(on loop: LibeventLoop) throws(EventLoopError) {
        self.loop = loop
        jobs = WorkerJobs(on: loop)
        laterCalls = LaterCalls(on: loop)
        (end, orphans) = (try ProgramEnd(), try OrphanReaper(on: loop))
        orphans.isProgramRunning = { [unowned self] in count > 0 }
    }

    /// Waits for the programs that run, and kills those that run on. Calls `done` once, when no program runs any more. Call this
    /// function when the daemon ends; no further program may be started.
    func endAll(_ done: @escaping () -> Void) {
        hasEnded = done
        guard count > 0 else { return reportEnd() }
        endTimer.set(on: loop, Self.endGrace) { [unowned self] in
            end.begin()
            // The threads kill their programs within a few milliseconds, unless the system is overloaded.
            endTimer.set(on: loop, Self.endGrace) { [unowned self] in reportEnd() }
        }
    }

    private func reportEnd() {
        endTimer.stop()
        exchange(&hasEnded, with: nil)?()
    }

    /// Runs the program at `path` with an input, at most for `timeout`. Calls `done` once, in a later turn of the loop.
    package func run(
        _ path: String, _ input: [UInt8], timeout: Duration, _ done: @escaping (ProgramRun) -> Void
    ) {
        count += 1
        orphans.begin()
        do throws(EventLoopError) {
            try jobs.start { [end] in
                ProgramRun(path, input, timeout: timeout, until: end)
            } _: { [weak self] run in
                self?.finish(run, done)
            }
        } catch {
            laterCalls.add { [unowned self] in
                finish(ProgramRun(failed: "\(error)"), done)
            }
        }
    }

    private func finish(_ run: ProgramRun, _ done: (ProgramRun) -> Void) {
        // If a timer of the loop is already due, such as the time-out of the attempt, it fires before `done` is called.
        loop.fireDueTimers()
        count -= 1
        done(run)
        orphans.sweep()
        if count == 0 { reportEnd() }
    }
}

/// A descriptor that becomes readable when the programs must end. All threads that run programs wait for it.
package final class ProgramEnd: Sendable {
    package let descriptor: Int32

    /// Wraps `eventfd(2)`.
    package init() throws(EventLoopError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC))
        guard descriptor >= 0 else { throw .unavailable("an eventfd") }
    }

    deinit { close(descriptor) }

    package func begin() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }
}

/// One finished run of a program. The initializer blocks until the program has ended.
///
/// The program gets an input. Its environment contains only PATH, and its working directory is the folder of its file. It has
/// its own process group. All processes of the group are killed when the program has ended, when the time is over, or when the
/// daemon ends. The program is started by timeout(1), which kills the group if the daemon is killed.
package struct ProgramRun: Sendable {
    /// A sentence about the failure; nil if the program ended with status 0.
    package let failure: String?
    /// The beginning of what the program wrote to standard output and standard error.
    package let output: [UInt8]

    /// The maximum length of `output` in bytes.
    static let outputLimit = 4096
    private static let pathVariable =
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    /// A run that could not start.
    package init(failed why: String) { (failure, output) = (why, []) }

    /// Runs the program whose file has the path `program`, at most until `end` is readable.
    package init(_ program: String, _ input: [UInt8], timeout: Duration, until end: ProgramEnd) {
        var pair: [Int32] = [0, 0]
        // One socket carries the program's input and its outputs, so that this process has only one descriptor to wait for.
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else {
            self.init(failed: String(cString: strerror(errno)))
            return
        }
        let (ownSocket, programSocket) = (pair[0], pair[1])
        let startResult = Self.start(program, programSocket, timeout: timeout)
        close(programSocket)
        switch startResult {
        case .success(let process):
            self.init(process, ownSocket, input, timeout: timeout, until: end)
        case .failure(let error):
            close(ownSocket)
            self.init(failed: error.why)
        }
    }

    private struct StartError: DescribedError { let why: String }

    /// Starts a program with a socket as its standard input, output and error. Wraps posix_spawn(3).
    private static func start(_ program: String, _ socket: Int32, timeout: Duration)
        -> Result<pid_t, StartError>
    {
        // timeout(1) would report a missing program only by its exit status.
        guard access(program, X_OK) == 0 else {
            return .failure(StartError(why: String(cString: strerror(errno))))
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_adddup2(&actions, socket, descriptor)
        }
        linux_spawn_with_standard_streams(&actions)
        let folder = String(program[..<(program.lastIndex(of: "/") ?? program.startIndex)])
        // Sets the working directory.
        linux_spawn_in(&actions, folder.isEmpty ? "/" : folder)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // No signal is blocked or ignored in the program, unlike in the daemon.
        var (noSignals, allSignals) = (sigset_t(), sigset_t())
        sigemptyset(&noSignals)
        sigfillset(&allSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setsigdefault(&attributes, &allSignals)
        // 0 creates a process group with the id of the process.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        // A second more than the time after which this process kills the group.
        let limit = timeout.milliseconds / 1000 + 1
        let words = ["timeout", "--signal=KILL", "\(limit)", program]
        var arguments = words.map { strdup($0) } + [nil]
        var environment = [strdup(pathVariable), nil]
        defer { for text in arguments + environment { free(text) } }
        var error: Int32 = 0
        let process = ChildProcesses.start {
            var process: pid_t = 0
            error = posix_spawnp(
                &process, "timeout", &actions, &attributes, &arguments, &environment)
            return error == 0 ? process : nil
        }
        guard let process else {
            return .failure(StartError(why: String(cString: strerror(error))))
        }
        return .success(process)
    }

    /// Writes the input to the socket `stream`, and reads the output from `stream`, until the program ends or the time is over.
    /// Then kills the remaining processes of the program's group.
    private init(
        _ process: pid_t, _ stream: Int32, _ input: [UInt8], timeout: Duration,
        until end: ProgramEnd
    ) {
        let deadline = Self.monotonicMilliseconds() + Int(timeout.milliseconds)
        var (unwrittenInput, output, status) = (input[...], [UInt8](), Int32(0))
        var buffer = [UInt8](repeating: 0, count: 4096)
        var isTimeOver = false
        var mustEnd = false
        var hasEnded = false
        _ = fcntl(stream, F_SETFL, O_NONBLOCK)
        while !hasEnded, !isTimeOver, !mustEnd {
            var polled = [
                pollfd(fd: stream, events: Int16(POLLIN), revents: 0),
                pollfd(fd: end.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            if !unwrittenInput.isEmpty { polled[0].events |= Int16(POLLOUT) }
            // Waits at most 20 ms, because `poll` notices neither the end of the program nor the deadline.
            _ = Glibc.poll(&polled, nfds_t(polled.count), 20)
            mustEnd = polled[1].revents != 0
            if polled[0].revents & Int16(POLLOUT) != 0, !unwrittenInput.isEmpty {
                // SIGPIPE is ignored in the whole daemon, so a write to an ended program only returns -1.
                let count = unwrittenInput.withUnsafeBytes {
                    Glibc.write(stream, $0.baseAddress, $0.count)
                }
                unwrittenInput = count >= 0 ? unwrittenInput.dropFirst(count) : []
                if unwrittenInput.isEmpty { shutdown(stream, Int32(SHUT_WR)) }
            }
            let count = read(stream, &buffer, buffer.count)
            if count > 0 { output += buffer.prefix(min(count, Self.outputLimit - output.count)) }
            hasEnded = waitpid(process, &status, WNOHANG) == process
            isTimeOver = Self.monotonicMilliseconds() >= deadline
            // If the program has closed its outputs, `poll` returns at once; the pause avoids a busy loop.
            if count == 0, !hasEnded { usleep(10_000) }
        }
        kill(-process, SIGKILL)
        while !hasEnded {
            let ended = waitpid(process, &status, 0)
            hasEnded = ended == process || errno != EINTR
        }
        ChildProcesses.ended(process)
        // What the program wrote between the last read and its end.
        let finalCount = read(stream, &buffer, buffer.count)
        if finalCount > 0 {
            output += buffer.prefix(min(finalCount, Self.outputLimit - output.count))
        }
        close(stream)
        self.output = output
        failure =
            switch (status & 0x7F == SIGKILL, isTimeOver, mustEnd) {
            case (true, true, _): "the program took too long and was killed"
            case (true, _, true): "the program was killed, because the daemon ended"
            default: Self.sentence(status)
            }
    }

    /// A sentence about a status of waitpid(2); nil for a program that ended with status 0. Bits 0 to 6 are the signal that
    /// ended the program, or 0; bits 8 to 15 are the exit status.
    private static func sentence(_ status: Int32) -> String? {
        if status == 0 { return nil }
        let signal = status & 0x7F
        return signal == 0
            ? "the program ended with status \(status >> 8 & 0xFF)"
            : "signal \(signal) ended the program"
    }

    private static func monotonicMilliseconds() -> Int {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int(now.tv_sec) * 1000 + Int(now.tv_nsec) / 1_000_000
    }
}
