import Glibc
import TestSupport

/// A program that a test starts, with which it communicates over one socket. It is killed when the object is released.
final class ChildProcess {
    let pid: pid_t
    /// The test's end of the socket.
    private let wire: Int32
    private var ended: Int32?
    /// The program's output that has been read.
    private(set) var output = ""

    struct Failure: Error { let why: String }

    /// The path of the repository.
    static let root = RepositoryFile.root

    /// Starts a program, whose given descriptors are the other end of the socket. Wraps posix_spawn(3).
    init(_ command: [String], _ environment: [String] = [], connecting descriptors: [Int32]) throws
    {
        var ends: [Int32] = [0, 0]
        // Close-on-exec: a program that another test starts at the same time must not keep this end open.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Failure(why: "socketpair") }
        var patience = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(
            ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        defer { close(ends[1]) }
        do {
            pid = try Self.start(command, environment, descriptors.map { ($0, ends[1]) })
        } catch {
            close(ends[0])
            throw error
        }
        wire = ends[0]
    }

    deinit {
        if ended == nil {
            kill(pid, SIGKILL)
            waitForEnd()
        }
        close(wire)
    }

    private static func start(
        _ command: [String], _ environment: [String], _ descriptors: [(there: Int32, ours: Int32)]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (there, ours) in descriptors {
            posix_spawn_file_actions_adddup2(&actions, ours, there)
        }
        // Threads of the test program block signals, and a program would inherit that: some would not end at SIGTERM.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var unblocked = sigset_t()
        sigemptyset(&unblocked)
        posix_spawnattr_setsigmask(&attributes, &unblocked)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let arguments = command.map { strdup($0) } + [nil]
        let variables = (["PATH=/usr/bin:/bin"] + environment).map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var pid: pid_t = 0
        guard posix_spawn(&pid, command[0], &actions, &attributes, arguments, variables) == 0 else {
            throw Failure(why: "\(command[0]) cannot be started: build it, or Scripts/setup test")
        }
        return pid
    }

    // MARK: input and output

    func writeLine(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        write(wire, bytes, bytes.count)
    }

    /// Reads the output until it contains `words` so many times. Returns false if the program ends before.
    func waitFor(_ words: String, times: Int = 1) -> Bool {
        while output.ranges(of: words).count < times {
            if !read() { return false }
        }
        return true
    }

    /// The whole output, up to the end of the program.
    func outputUntilEnd() -> String {
        while read() {}
        return output
    }

    private func read() -> Bool {
        var room = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(wire, &room, room.count)
        guard count > 0 else { return false }
        output += String(decoding: room[..<count], as: UTF8.self)
        return true
    }

    // MARK: end

    func signal(_ number: Int32) { kill(pid, number) }

    /// Waits for the end of the program. Returns its exit status, or minus the signal that killed it. A program that does
    /// not end within two minutes is killed, so that the test fails instead of waiting for ever. Wraps waitpid(2).
    @discardableResult func waitForEnd() -> Int32 {
        if let ended { return ended }
        var status: Int32 = 0
        var clock = timespec()
        clock_gettime(CLOCK_MONOTONIC, &clock)
        let end = clock.tv_sec + 120
        while waitpid(pid, &status, WNOHANG) == 0 {
            clock_gettime(CLOCK_MONOTONIC, &clock)
            if clock.tv_sec > end { kill(pid, SIGKILL) }
            // Returns when the program has closed its end of the socket, as it does at its end.
            var hangUp = pollfd(fd: wire, events: 0, revents: 0)
            poll(&hangUp, 1, 100)
        }
        let result = status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
        ended = result
        return result
    }
}
