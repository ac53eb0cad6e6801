internal import CLinux
internal import Glibc
public import Support

/// Draws diagrams of flows with Graphviz's program `dot`, for the daemon and for gamectl.
public enum Graphviz {
    /// The reason why there is no drawing, as a sentence.
    public struct DrawingError: DescribedError, Sendable {
        public let why: String
        /// Whether the drawing took too long, so that a second attempt would take as long.
        public let tookTooLong: Bool

        public init(why: String, tookTooLong: Bool = false) {
            (self.why, self.tookTooLong) = (why, tookTooLong)
        }
    }

    /// The maximum time that a drawing may take, in seconds.
    private static let timeLimit = 20

    /// Draws a diagram that is written in the language DOT. Returns the content of a file in `format`, such as `svg`. Blocks
    /// until the drawing is finished: call this function on a thread that may wait.
    public static func draw(_ dot: String, as format: String) throws(DrawingError) -> [UInt8] {
        // The diagram is passed to `dot` in a file. If it were passed in a pipe, this process and `dot` could wait for each
        // other.
        let input = try temporaryFile(Array(dot.utf8))
        defer { close(input) }
        // The descriptor to read from, and the descriptor to write to. `dot` gets only the copy of the writing end that `start`
        // makes, and other programs get none.
        var pipeEnds: [Int32] = [0, 0]
        guard linux_pipe(&pipeEnds) == 0 else { throw DrawingError(why: failure("no pipe")) }
        defer { close(pipeEnds[0]) }
        let process = try start(format, reading: input, writing: pipeEnds)
        let drawing = Pipe.readAll(pipeEnds[0])
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        ChildProcesses.ended(process)
        guard status == 0 else {
            throw DrawingError(
                why: sentence(status), tookTooLong: status >> 8 & 0xFF == timeoutStatus)
        }
        return drawing
    }

    /// The exit status of timeout(1) for a program that took too long.
    private static let timeoutStatus: Int32 = 124

    /// Returns the descriptor of a file without a name that has this content. Programs that this process starts meanwhile do not
    /// inherit it.
    private static func temporaryFile(_ content: [UInt8]) throws(DrawingError) -> Int32 {
        var path = Array("/tmp/gamed-drawing-XXXXXX".utf8CString)
        let descriptor = linux_temporary_file(&path)
        guard descriptor >= 0 else { throw DrawingError(why: failure("no temporary file")) }
        unlink(path)
        var unwritten = content[...]
        while !unwritten.isEmpty {
            let count = unwritten.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                defer { close(descriptor) }
                throw DrawingError(why: failure("the temporary file cannot be written"))
            }
            unwritten = unwritten.dropFirst(count)
        }
        lseek(descriptor, 0, SEEK_SET)
        return descriptor
    }

    /// Starts `dot`, which reads `input` and writes to the pipe. Then closes this process's writing end of the pipe. Wraps
    /// posix_spawnp(3). timeout(1) ends a drawing that takes too long.
    private static func start(_ format: String, reading input: Int32, writing pipeEnds: [Int32])
        throws(DrawingError) -> pid_t
    {
        let output = pipeEnds[1]
        defer { close(output) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        let noMode: mode_t = 0  // Applies only to new files.
        posix_spawn_file_actions_addopen(
            &actions, STDERR_FILENO, "/dev/null", O_WRONLY, noMode)
        linux_spawn_with_standard_streams(&actions)
        // The thread may block signals, but timeout(1) ends `dot` by a signal.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let words = ["timeout", "\(timeLimit)", "dot", "-T\(format)"]
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var error: Int32 = 0
        let process = ChildProcesses.start {
            var process: pid_t = 0
            error = posix_spawnp(
                &process, "timeout", &actions, &attributes, &arguments, environ)
            return error == 0 ? process : nil
        }
        guard let process else {
            throw DrawingError(
                why: "timeout cannot be started: \(String(cString: strerror(error)))")
        }
        return process
    }

    /// Explains a status of waitpid(2). Its lowest seven bits are the signal that ended the process, and the next byte is the
    /// exit status. The exit statuses 124, 126 and 127 come from timeout(1), which starts `dot`.
    private static func sentence(_ status: Int32) -> String {
        let signal = status & 0x7F
        if signal != 0 { return "dot was ended by signal \(signal)" }
        return switch status >> 8 & 0xFF {
        case timeoutStatus: "dot took longer than \(timeLimit) s"
        case 126, 127: "dot is missing: apt-get install graphviz"
        case let code: "dot failed with status \(code)"
        }
    }

    /// A sentence about a system call that failed: the problem and the text of `errno`.
    private static func failure(_ problem: String) -> String {
        "\(problem): \(String(cString: strerror(errno)))"
    }
}
