import Glibc
import Shell

/// The daemon's UNIX socket: its file is claimed when it is made, and removed when it is closed.
struct UnixSocket: ~Copyable {
    let descriptor: Int32
    let path: String
    private let file: (device: dev_t, inode: ino_t)

    /// Why the socket could not be had, in words for an operator.
    struct Unavailable: Error {
        let why: String
    }

    /// Binds and listens with mode 0660. A stale file of a daemon that died is replaced; a live one's
    /// owner is named. The directory is locked meanwhile, so that two daemons that start at once do not
    /// both take the file for stale.
    init(_ path: String, makesDirectory: Bool = false) throws(Unavailable) {
        guard let address = SocketPath.address(path) else {
            throw Unavailable(why: "\(path): a socket's path has 1 to 107 bytes")
        }
        let lock = try Self.lockDirectory(of: path, makes: makesDirectory)
        defer { close(lock) }
        try Self.clear(path, address)
        let descriptor = SocketPath.socket(waits: false)
        guard descriptor >= 0 else { throw Self.failed("socket") }
        let mask = umask(0o117)
        let bound = SocketPath.with(address) { bind(descriptor, $0, $1) }
        umask(mask)
        guard bound == 0, listen(descriptor, SOMAXCONN) == 0 else {
            let why = Self.failed(path)
            close(descriptor)
            throw why
        }
        var status = stat()
        stat(path, &status)
        (self.descriptor, self.path) = (descriptor, path)
        file = (status.st_dev, status.st_ino)
    }

    /// Takes nobody in any more. The file goes, if it is still the one that was made here.
    deinit {
        // While it is open nobody else's file can have its number.
        var status = stat()
        if stat(path, &status) == 0, (status.st_dev, status.st_ino) == file { unlink(path) }
        close(descriptor)
    }

    private static func failed(_ what: String) -> Unavailable {
        Unavailable(why: "\(what): \(String(cString: strerror(errno)))")
    }

    /// Locks the directory, which is made, where that is wanted, if only its last part is missing.
    /// Wraps flock(2).
    private static func lockDirectory(of path: String, makes: Bool) throws(Unavailable) -> Int32 {
        let directory = FilePath.directory(of: path)
        if makes, mkdir(directory, 0o755) != 0, errno != EEXIST { throw failed(directory) }
        let lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { throw failed(directory) }
        // Others may lock a directory such as /tmp for as long as they like: that must not hold up the
        // start, so after a second it goes on without.
        for _ in 0..<20 where flock(lock, LOCK_EX | LOCK_NB) != 0 { usleep(50_000) }
        return lock
    }

    /// Removes a socket file that nobody answers at.
    private static func clear(_ path: String, _ address: sockaddr_un) throws(Unavailable) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw Unavailable(why: "\(path): is there already, and is no socket")
        }
        let probe = SocketPath.socket(waits: false)
        guard probe >= 0 else { throw failed("socket") }
        defer { close(probe) }
        let answers = SocketPath.with(address) { connect(probe, $0, $1) } == 0
        // EAGAIN: somebody listens, and has more callers than fit.
        if answers || errno == EAGAIN {
            let owner = answers ? Credentials(of: probe)?.pid : nil
            let who = owner.map { "a daemon with pid \($0)" } ?? "another daemon"
            throw Unavailable(why: "\(path): \(who) is listening there")
        }
        guard errno == ECONNREFUSED, unlink(path) == 0 else { throw failed(path) }
    }
}
