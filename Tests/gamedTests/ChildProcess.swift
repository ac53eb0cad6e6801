import Glibc
import TestSupport

/// A program that a test starts. Test and program communicate over one socket. The program is killed when the object is
/// released.
final class ChildProcess {
    let pid: pid_t
    /// The test's end of the socket pair.
    private let testSocket: Int32
    /// The result of `waitForEnd`; nil until it has returned.
    private var endStatus: Int32?
    /// The bytes of `output`. A character of several bytes can arrive in two parts.
    private var received: [UInt8] = []
    /// The part of the program's output that has been read.
    var output: String { String(decoding: received, as: UTF8.self) }

    struct Failure: Error { let why: String }

    /// The path of the repository.
    static let repositoryRoot = RepositoryFile.root

    /// Starts a program. `descriptors` are the file descriptors of the program that are connected to this object, such as 0 and
    /// 1. A call that waits for output ends after `timeout` seconds without output. Wraps posix_spawn(3).
    init(
        _ command: [String], environment: [String] = [], connecting descriptors: [Int32],
        timeout: Int = 120
    ) throws {
        var ends: [Int32] = [0, 0]
        // Close-on-exec: a program that another test starts at the same time must not keep this socket open.
        let socketType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, socketType, 0, &ends) == 0 else {
            throw Failure(why: "socketpair")
        }
        var timeout = timeval(tv_sec: timeout, tv_usec: 0)
        setsockopt(
            ends[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        defer { close(ends[1]) }
        do {
            pid = try Self.start(
                command, ["PATH=/usr/bin:/bin"] + environment, descriptors.map { ($0, ends[1]) })
        } catch {
            close(ends[0])
            throw error
        }
        testSocket = ends[0]
    }

    deinit {
        if endStatus == nil {
            kill(pid, SIGKILL)
            waitForEnd()
        }
        close(testSocket)
    }

    /// Starts a program with these environment variables, whose descriptors are copies of descriptors of this process. Returns
    /// its process ID.
    static func start(
        _ command: [String], _ environment: [String],
        _ descriptors: [(inProgram: Int32, inTest: Int32)]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (inProgram, inTest) in descriptors {
            posix_spawn_file_actions_adddup2(&actions, inTest, inProgram)
        }
        // The threads of the test program block signals. The started program would inherit the block, and some
        // programs would not end at SIGTERM.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let arguments = command.map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var pid: pid_t = 0
        guard posix_spawn(&pid, command[0], &actions, &attributes, arguments, variables) == 0 else {
            throw Failure(
                why: "\(command[0]) cannot be started: build it, or run Scripts/setup test")
        }
        return pid
    }

    // MARK: input and output

    func writeLine(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        write(testSocket, bytes, bytes.count)
    }

    /// Reads the output until it contains `words` at least `times` times. Returns false if the program ends before that, or
    /// writes nothing for the time-out of `init`.
    func waitFor(_ words: String, times: Int = 1) -> Bool {
        while output.ranges(of: words).count < times {
            if !read() { return false }
        }
        return true
    }

    /// Reads the output until the program ends, or writes nothing for the time-out of `init`. Returns the whole output.
    func outputUntilEnd() -> String {
        while read() {}
        return output
    }

    /// Waits for output of the program, and reads up to 4096 bytes. Returns false at the end of the output, or after the
    /// time-out.
    private func read() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(testSocket, &bytes, bytes.count)
        guard count > 0 else { return false }
        received += bytes[..<count]
        return true
    }

    // MARK: end

    func signal(_ number: Int32) { kill(pid, number) }

    /// Waits for the end of the program. Returns its exit status, or minus the signal that killed it. A program that does not
    /// end within two minutes is killed. So the test fails instead of waiting for ever. Wraps waitpid(2).
    @discardableResult func waitForEnd() -> Int32 {
        if let endStatus { return endStatus }
        var status: Int32 = 0
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let deadline = now.tv_sec + 120
        while waitpid(pid, &status, WNOHANG) == 0 {
            clock_gettime(CLOCK_MONOTONIC, &now)
            if now.tv_sec > deadline { kill(pid, SIGKILL) }
            // poll returns when the program has closed its end of the socket, which happens when it ends.
            var hangUp = pollfd(fd: testSocket, events: 0, revents: 0)
            poll(&hangUp, 1, 100)
        }
        let result = status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
        endStatus = result
        return result
    }
}
