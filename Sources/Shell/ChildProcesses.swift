internal import CLinux
internal import Glibc
internal import Support
public import Synchronization

/// The child processes of this process. Some are programs that this process has started; the others are orphans: processes whose
/// parent has ended, and which the kernel has made children of this process. All functions can be called from any thread.
public enum ChildProcesses {
    /// The programs that this process has started, and whose end it has not read yet.
    private static let programs = Mutex(Set<Int32>())

    /// Calls `start`, which starts a program and returns its process id, or nil if the program could not be started. When the
    /// caller has read the program's end by waitpid(2), it must call `ended`.
    public static func start(_ start: () -> Int32?) -> Int32? {
        // The lock is held until the id is known, so that the program is never taken for an orphan.
        programs.withLock { programs in
            let process = start()
            if let process { programs.insert(process) }
            return process
        }
    }

    /// Forgets a program whose end was read.
    public static func ended(_ process: Int32) { programs.withLock { _ = $0.remove(process) } }

    /// Whether all child processes are the daemon's: orphans may then be killed. False in a program that embeds the daemon, because
    /// the program can have children of its own. Set before other threads start.
    public static let areAllOwn = Atomic(false)

    /// Lets this process become the parent of orphans among its descendants. Without this call, process 1 becomes their parent.
    /// Wraps prctl(2) with PR_SET_CHILD_SUBREAPER.
    public static func adoptOrphans() { _ = linux_adopt_orphans() }

    /// The children that this process has not started.
    public static var orphans: [Int32] {
        programs.withLock { programs in
            children(of: getpid()).filter { !programs.contains($0) }
        }
    }

    /// Reads the end of an orphan, so that the kernel removes its entry. Returns whether the orphan has ended.
    public static func reap(_ orphan: Int32) -> Bool {
        var status: Int32 = 0
        return waitpid(orphan, &status, WNOHANG) == orphan
    }

    /// Kills an orphan, and the processes that it has started.
    public static func kill(_ orphan: Int32) {
        let descendants = children(of: orphan)
        Glibc.kill(orphan, SIGKILL)
        for descendant in descendants { kill(descendant) }
    }

    /// The children of a process, from proc(5). Empty if the kernel does not list them.
    private static func children(of process: Int32) -> [Int32] {
        let tasks = "/proc/\(process)/task"
        return (FilePath.names(inDirectory: tasks) ?? []).flatMap { task in
            content(of: "\(tasks)/\(task)/children").split(separator: " ").compactMap { Int32($0) }
        }
    }

    /// The text of a file; empty if the file cannot be read.
    private static func content(of path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
            text += buffer[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
