import EventLoop
package import Glibc
import Support

/// The daemon's UNIX socket. Its file is created by the initializer, and removed when the value is
/// destroyed. The file of a passed socket is neither created nor removed, and a file that `keepFile` was called for is not removed.
package struct UnixSocket: ~Copyable {
    /// The listening socket, which this value closes.
    package let descriptor: Int32
    package let path: String
    /// Identifies the socket's file, so that `deinit` does not remove the file of another daemon at the same path. Nil if the file
    /// belongs to the service manager, or stays.
    private var fileID: (device: dev_t, inode: ino_t)?

    /// The reason why the socket cannot be opened, as a message for an operator.
    package struct SocketError: DescribedError {
        package let why: String
    }

    /// Creates the socket's file with mode 0660, and listens. Replaces the file of a daemon that has died. Throws if another
    /// daemon uses the file. The directory is locked until this initializer returns, because two daemons that start at the same
    /// time must not both replace the file.
    ///
    /// `permissions` are the file's group and mode, if they are not those of the process and 0660. Nobody can connect before the
    /// file has them, because the socket does not listen before. The umask of the process has no effect, and is not changed: it
    /// belongs to all threads.
    package init(
        _ path: String, makesDirectory: Bool = false, permissions: Permissions = Permissions()
    )
        throws(SocketError)
    {
        guard let address = SocketAddress(path: path) else {
            throw SocketError(why: "\(path): a socket's path has 1 to 107 bytes")
        }
        let lock = try Self.lockDirectory(of: path, makesDirectory: makesDirectory)
        defer { close(lock) }
        try Self.removeStaleSocket(path, address)
        let descriptor = address.makeStreamSocket()
        guard descriptor >= 0 else { throw Self.failed("socket") }
        // bind(2) gives the file the mode of the socket, so that only the owner has a right to it until `set` is called. A kernel
        // that does not keep a mode for sockets lets bind(2) use the umask; the socket does not listen yet then, either.
        fchmod(descriptor, 0o600)
        guard address.withPointer({ bind(descriptor, $0, $1) }) == 0, permissions.set(at: path),
            listen(descriptor, SOMAXCONN) == 0
        else {
            let why = Self.failed(path)
            close(descriptor)
            throw why
        }
        var status = stat()
        stat(path, &status)
        (self.descriptor, self.path) = (descriptor, path)
        fileID = (status.st_dev, status.st_ino)
    }

    /// A socket that the service manager has passed. `path` is the one to which it is bound.
    package init(_ socket: PassedSocket, path: String) {
        (descriptor, self.path, fileID) = (socket.descriptor, path, nil)
    }

    // MARK: sockets that the service manager keeps

    /// Does not remove the file, because the service manager keeps the socket open: clients can connect until the daemon listens
    /// again.
    package mutating func keepFile() { fileID = nil }

    /// Whether there is a socket at a path. Wraps lstat(2).
    package static func hasFile(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    /// Removes the file of a socket that is not used any more.
    package static func removeFile(_ path: String) { if hasFile(path) { unlink(path) } }

    /// Sets the group and the mode of the file of a socket that the daemon has opened in an earlier run.
    package static func set(_ permissions: Permissions, at path: String) throws(SocketError) {
        guard permissions.set(at: path) else { throw failed(path) }
    }

    /// The group and the mode of a socket's file.
    package struct Permissions: Equatable {
        /// The id of the group; nil for the group of the process.
        package var group: gid_t?
        /// The mode; nil for 0660.
        package var mode: mode_t?

        package init() {}

        package var areStandard: Bool { group == nil && mode == nil }

        /// Sets the permissions of the file at the path. Returns false, with the reason in `errno`, if that fails. A symbolic link
        /// that somebody has put there meanwhile is not followed. Wraps lchown(2), fchmodat(2) and chmod(2).
        func set(at path: String) -> Bool {
            if let group, lchown(path, uid_t.max, group) != 0 { return false }
            let mode = mode ?? 0o660
            if fchmodat(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW) == 0 { return true }
            // Without /proc, the C library cannot do it.
            guard errno == EOPNOTSUPP else { return false }
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
                return false
            }
            return chmod(path, mode) == 0
        }
    }

    /// Stops listening. Removes the file at the path, if it is still the file that this value created.
    deinit {
        // While the socket is open, the inode number of its file cannot be reused.
        var status = stat()
        if let fileID, stat(path, &status) == 0, (status.st_dev, status.st_ino) == fileID {
            unlink(path)
        }
        close(descriptor)
    }

    /// The error of the last system call. `operation` is the path or the name of the call.
    private static func failed(_ operation: String) -> SocketError {
        SocketError(why: "\(operation): \(String(cString: strerror(errno)))")
    }

    /// Locks the directory of a path, and returns its descriptor; closing the descriptor ends the lock. With `makesDirectory`,
    /// creates the directory if only its last component is missing. Wraps flock(2).
    private static func lockDirectory(of path: String, makesDirectory: Bool)
        throws(SocketError) -> Int32
    {
        let directory = FilePath.directory(of: path)
        if makesDirectory, mkdir(directory, 0o755) != 0, errno != EEXIST {
            throw failed(directory)
        }
        let lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { throw failed(directory) }
        // Another process can hold the lock of a directory such as /tmp for as long as it likes. This must not prevent the
        // start of the daemon. So this function waits at most one second, and then returns without the lock.
        for _ in 0..<20 where flock(lock, LOCK_EX | LOCK_NB) != 0 { usleep(50_000) }
        return lock
    }

    /// Removes the file at the path, if it is a socket on which no process listens. Throws if the file is not a socket, or if a
    /// process listens on the socket. `address` is the path as a socket's address.
    private static func removeStaleSocket(_ path: String, _ address: SocketAddress)
        throws(SocketError)
    {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SocketError(why: "\(path): exists and is not a socket")
        }
        let probe = address.makeStreamSocket()
        guard probe >= 0 else { throw failed("socket") }
        defer { close(probe) }
        let isListening = address.withPointer { connect(probe, $0, $1) } == 0
        // EAGAIN: a process listens, but its queue of connections is full.
        if isListening || errno == EAGAIN {
            let owner = isListening ? Credentials(of: probe)?.pid : nil
            let ownerText = owner.map { "a daemon with pid \($0)" } ?? "another daemon"
            throw SocketError(why: "\(path): \(ownerText) is listening there")
        }
        guard errno == ECONNREFUSED, unlink(path) == 0 else { throw failed(path) }
    }
}
