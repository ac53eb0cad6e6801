import Glibc

/// Runs Graphviz's `dot`, which draws on gamectl's standard output.
enum Graphviz {
    static func draw(_ dot: String, as format: String) throws(CommandError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw .check("no pipe: errno \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let process = try start(format, reading: ends[0])
        close(ends[0])
        let isWritten = write(Array(dot.utf8), to: ends[1])
        close(ends[1])
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        // The reader closed the pipe, as `head` does.
        if status & 0x7F == SIGPIPE { return }
        guard isWritten, status == 0 else { throw .check("dot failed with status \(status >> 8)") }
    }

    /// Wraps posix_spawnp(3).
    private static func start(_ format: String, reading input: Int32) throws(CommandError) -> pid_t
    {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        // gamectl ignores SIGPIPE; dot must end on it like any filter.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var pipeSignal = sigset_t()
        sigemptyset(&pipeSignal)
        sigaddset(&pipeSignal, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &pipeSignal)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var arguments = [strdup("dot"), strdup("-T\(format)"), nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let failure = posix_spawnp(&process, "dot", &actions, &attributes, &arguments, environ)
        guard failure == 0 else {
            throw .check(
                failure == ENOENT
                    ? "dot is missing: apt-get install graphviz"
                    : "dot cannot be started: \(String(cString: strerror(failure)))")
        }
        return process
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
