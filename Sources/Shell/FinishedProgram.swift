internal import CLinux
internal import Glibc
public import Support

/// A program that was run to its end, for programs that may wait, such as gamectl.
public struct FinishedProgram: Sendable {
    /// What the program has written to its standard output and its standard error.
    public let output: String
    /// The exit status. It is 124 if the program took too long.
    public let status: Int

    /// A program could not be run.
    public struct RunError: DescribedError, Sendable { public let why: String }

    /// The exit status of timeout(1) for a program that does not exist.
    private static let missingStatus = 127

    /// Runs a program, and waits for its end, at most `seconds`. The first word is the program, which is looked up in $PATH
    /// unless it is a path. Wraps posix_spawnp(3); timeout(1) ends a program that takes too long.
    public init(_ words: [String], within seconds: Int = 20) throws(RunError) {
        // The descriptor to read from, and the descriptor to write to.
        var pipeEnds: [Int32] = [0, 0]
        guard linux_pipe(&pipeEnds) == 0 else {
            throw RunError(why: "no pipe: \(String(cString: strerror(errno)))")
        }
        defer { close(pipeEnds[0]) }
        let process = try Self.start(["timeout", "\(seconds)"] + words, writingTo: pipeEnds[1])
        let bytes = Pipe.readAll(pipeEnds[0])
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        ChildProcesses.ended(process)
        // The lowest seven bits are the signal that has ended the process, and the next byte is the exit status.
        self.status = Int(status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F)
        output = String(decoding: bytes, as: UTF8.self)
        if self.status == Self.missingStatus {
            throw RunError(why: "there is no program \(words.first ?? "")")
        }
    }

    /// Starts the program, and closes this process's writing end of the pipe.
    private static func start(_ words: [String], writingTo output: Int32) throws(RunError) -> pid_t
    {
        defer { close(output) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let noMode: mode_t = 0  // Applies only to new files.
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, noMode)
        for stream in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_adddup2(&actions, output, stream)
        }
        linux_spawn_with_standard_streams(&actions)
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var error: Int32 = 0
        let process = ChildProcesses.start {
            var process: pid_t = 0
            error = posix_spawnp(&process, words[0], &actions, nil, &arguments, environ)
            return error == 0 ? process : nil
        }
        guard let process else {
            throw RunError(
                why: "\(words[0]) cannot be started: \(String(cString: strerror(error)))")
        }
        return process
    }
}
