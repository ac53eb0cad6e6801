import Glibc
import Shell
import Support

/// The daemon's UNIX socket. Its file is created by the initializer, and removed when the value is
/// destroyed.
struct UnixSocket: ~Copyable {
    let descriptor: Int32
    let path: String
    /// Identifies the socket's file.
    private let file: (device: dev_t, inode: ino_t)

    /// The reason why the socket cannot be opened, as a message for an operator.
    struct SocketError: DescribedError {
        let why: String
    }

    /// Binds and listens with mode 0660. Replaces the stale file of a daemon that has died; if another daemon uses the file,
    /// throws. The directory is locked meanwhile, so that two daemons that start at the same time do not both replace the file.
    init(_ path: String, makesDirectory: Bool = false) throws(SocketError) {
        guard let address = SocketPath.address(path) else {
            throw SocketError(why: "\(path): a socket's path has 1 to 107 bytes")
        }
        let lock = try Self.lockDirectory(of: path, makesDirectory: makesDirectory)
        defer { close(lock) }
        try Self.clear(path, address)
        let descriptor = SocketPath.socket(isBlocking: false)
        guard descriptor >= 0 else { throw Self.failed("socket") }
        let mask = umask(0o117)
        let bindResult = SocketPath.with(address) { bind(descriptor, $0, $1) }
        umask(mask)
        guard bindResult == 0, listen(descriptor, SOMAXCONN) == 0 else {
            let why = Self.failed(path)
            close(descriptor)
            throw why
        }
        var status = stat()
        stat(path, &status)
        (self.descriptor, self.path) = (descriptor, path)
        file = (status.st_dev, status.st_ino)
    }

    /// Stops listening. Removes the file, if it is still the one that this value created.
    deinit {
        // While the socket is open, the inode number of its file cannot be reused.
        var status = stat()
        if stat(path, &status) == 0, (status.st_dev, status.st_ino) == file { unlink(path) }
        close(descriptor)
    }

    private static func failed(_ operation: String) -> SocketError {
        SocketError(why: "\(operation): \(String(cString: strerror(errno)))")
    }

    /// Locks the directory. Creates it if `makesDirectory` is true and only its last component is missing.
    /// Wraps flock(2).
    private static func lockDirectory(of path: String, makesDirectory: Bool)
        throws(SocketError) -> Int32
    {
        let directory = FilePath.directory(of: path)
        if makesDirectory, mkdir(directory, 0o755) != 0, errno != EEXIST {
            throw failed(directory)
        }
        let lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { throw failed(directory) }
        // Another process can hold the lock of a directory such as /tmp for as long as it likes. That must not prevent the
        // start of the daemon, so after a second this function returns without the lock.
        for _ in 0..<20 where flock(lock, LOCK_EX | LOCK_NB) != 0 { usleep(50_000) }
        return lock
    }

    /// Removes a socket file on which no process listens.
    private static func clear(_ path: String, _ address: sockaddr_un) throws(SocketError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SocketError(why: "\(path): exists and is not a socket")
        }
        let probe = SocketPath.socket(isBlocking: false)
        guard probe >= 0 else { throw failed("socket") }
        defer { close(probe) }
        let isListening = SocketPath.with(address) { connect(probe, $0, $1) } == 0
        // EAGAIN: a process listens, and its backlog is full.
        if isListening || errno == EAGAIN {
            let owner = isListening ? Credentials(of: probe)?.pid : nil
            let ownerText = owner.map { "a daemon with pid \($0)" } ?? "another daemon"
            throw SocketError(why: "\(path): \(ownerText) is listening there")
        }
        guard errno == ECONNREFUSED, unlink(path) == 0 else { throw failed(path) }
    }
}
