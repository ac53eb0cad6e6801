internal import CLinux
internal import Glibc
public import Support

/// A program that was run to its end, for programs that may wait, such as gamectl.
public struct FinishedProgram: Sendable {
    /// What the program has written to its standard output, and to its standard error unless that is dropped.
    let bytes: [UInt8]
    /// The exit status; 128 and the number of the signal that has ended the program. It is `timeoutStatus` if the program took too
    /// long, and 137 if it did not end after that either.
    public let status: Int

    public var output: String { String(decoding: bytes, as: UTF8.self) }

    /// A program could not be run.
    public struct RunError: DescribedError, Sendable { public let why: String }

    /// The exit status of timeout(1) for a program that took too long.
    static let timeoutStatus = 124
    /// The exit status of timeout(1) for a program that does not exist.
    static let missingStatus = 127

    /// Runs a program, and waits for its end, at most `seconds`. The first word is the program, which is looked up in $PATH
    /// unless it is a path. Wraps posix_spawnp(3); timeout(1) ends a program that takes too long, and kills it a second later.
    public init(_ words: [String], within seconds: Int = 20) throws(RunError) {
        try self.init(running: words, within: seconds, reading: nil)
        if status == Self.missingStatus {
            throw RunError(why: "there is no program \(words.first ?? "")")
        }
    }

    /// As above, and reads standard input from a descriptor. Standard error is dropped then. A program that does not exist has the
    /// status `missingStatus`.
    init(running words: [String], within seconds: Int, reading input: Int32?) throws(RunError) {
        // The descriptor to read from, and the descriptor to write to.
        var pipeEnds: [Int32] = [0, 0]
        guard linux_pipe(&pipeEnds) == 0 else {
            throw RunError(why: "no pipe: \(String(cString: strerror(errno)))")
        }
        defer { close(pipeEnds[0]) }
        let process = try Self.start(
            ["timeout", "-k", "1", "\(seconds)"] + words, reading: input, writingTo: pipeEnds[1])
        bytes = Pipe.readAll(pipeEnds[0])
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        ChildProcesses.ended(process)
        // The lowest seven bits are the signal that has ended the process, and the next byte is the exit status.
        self.status = Int(status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F)
    }

    /// Starts the program, and closes this process's writing end of the pipe.
    private static func start(
        _ words: [String], reading input: Int32?, writingTo output: Int32
    ) throws(RunError) -> pid_t {
        defer { close(output) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        let noMode: mode_t = 0  // Applies only to new files.
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
            posix_spawn_file_actions_addopen(
                &actions, STDERR_FILENO, "/dev/null", O_WRONLY, noMode)
        } else {
            posix_spawn_file_actions_addopen(
                &actions, STDIN_FILENO, "/dev/null", O_RDONLY, noMode)
            posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        }
        linux_spawn_with_standard_streams(&actions)
        // The thread may block signals, but timeout(1) ends the program by a signal.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var error: Int32 = 0
        let process = ChildProcesses.start {
            var process: pid_t = 0
            error = posix_spawnp(&process, words[0], &actions, &attributes, &arguments, environ)
            return error == 0 ? process : nil
        }
        guard let process else {
            throw RunError(
                why: "\(words[0]) cannot be started: \(String(cString: strerror(error)))")
        }
        return process
    }
}
