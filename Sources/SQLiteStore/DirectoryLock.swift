internal import CLinux
internal import Glibc

/// Holds a state directory for one process: SQLite's own lock goes whenever the file has to be opened anew, and
/// whoever came in between would have his rows taken for leftovers.
public final class DirectoryLock: Sendable {
    public static let name = "journal.lock"
    private let descriptor: Int32

    /// Why a directory cannot be held.
    public enum Refused: Error, Equatable {
        /// Another process holds it.
        case inUse
        case unavailable(_ why: String)
    }

    /// Holds a directory until this is let go of, or the process ends, however that comes about. Wraps
    /// `flock(2)`.
    public init(_ directory: String) throws(Refused) {
        let descriptor = open("\(directory)/\(Self.name)", O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw .unavailable(String(cString: strerror(errno))) }
        guard linux_lock(descriptor) == 0 else {
            let isHeld = errno == EWOULDBLOCK
            let why = String(cString: strerror(errno))
            close(descriptor)
            throw isHeld ? .inUse : .unavailable(why)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Whether a process holds the directory now.
    public static func isHeld(_ directory: String) -> Bool {
        let descriptor = open("\(directory)/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return linux_lock(descriptor) != 0 && errno == EWOULDBLOCK
    }
}
