internal import CLinux
internal import Glibc
public import Support

/// Locks a state directory for one process. SQLite's own lock is released whenever the journal has to be reopened after a
/// failed commit. Another process could then write rows, and the reopening would remove them as rows of the failed commit.
public final class DirectoryLock: Sendable {
    /// The name of the lock file in the directory.
    public static let name = "journal.lock"
    private let descriptor: Int32

    /// The reason why a directory cannot be locked.
    public enum LockError: DescribedError, Equatable {
        /// Another process holds the lock.
        case inUse
        case unavailable(_ why: String)

        public var why: String {
            switch self {
            case .inUse: "another gamed is using it"
            case .unavailable(let why): "cannot lock it: \(why)"
            }
        }
    }

    /// Locks a directory until this object is released or the process ends in any way. Throws `inUse` if another process has the
    /// lock for all of the time `patience`. A process that was killed has its locks until its memory is freed, and
    /// `isHeld` has one for a moment. Wraps `flock(2)`.
    public init(_ directory: String, patience: Duration = .zero) throws(LockError) {
        let descriptor = open("\(directory)/\(Self.name)", O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw .unavailable(String(cString: strerror(errno))) }
        let clock = ContinuousClock()
        let end = clock.now + patience
        while linux_lock(descriptor) != 0 {
            let isInUse = errno == EWOULDBLOCK
            if isInUse, clock.now < end {
                usleep(20_000)
                continue
            }
            let why = String(cString: strerror(errno))
            close(descriptor)
            throw isInUse ? .inUse : .unavailable(why)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Whether a process has locked the directory now. If none has, this call itself holds the lock for a moment.
    public static func isHeld(_ directory: String) -> Bool {
        let descriptor = open("\(directory)/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return linux_lock(descriptor) != 0 && errno == EWOULDBLOCK
    }
}
