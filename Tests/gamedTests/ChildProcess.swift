import Glibc

/// A program that a test starts.
enum ChildProcess {
    struct Failure: Error { let why: String }

    /// Where the project is.
    static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    /// Starts a program; its number. `descriptors` are those of ours that it has, by the numbers that they have there.
    /// Wraps posix_spawn(3).
    static func start(
        _ command: [String], _ environment: [String] = [], descriptors: [Int32: Int32]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (there, ours) in descriptors {
            posix_spawn_file_actions_adddup2(&actions, ours, there)
        }
        let arguments = command.map { strdup($0) } + [nil]
        let variables = (["PATH=/usr/bin:/bin"] + environment).map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var pid: pid_t = 0
        guard posix_spawn(&pid, command[0], &actions, nil, arguments, variables) == 0 else {
            throw Failure(why: "\(command[0]) cannot be started: build it, or Scripts/setup test")
        }
        return pid
    }

    /// Waits until it has ended: its exit status, or minus the signal that killed it. Wraps waitpid(2).
    @discardableResult static func waitForEnd(of pid: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }
}
