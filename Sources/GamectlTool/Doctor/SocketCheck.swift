import EventLoop
import Glibc
import Shell

/// Checks whether a daemon listens at a socket.
enum SocketCheck {
    /// What is at the path of the socket.
    enum State: Equatable {
        case listening
        case missing
        /// Another kind of file.
        case noSocket
        /// A socket without a listener, which a killed daemon has left behind.
        case abandoned
        case denied
        case failed(why: String)
    }

    /// Looks at the path and connects to it. Wraps stat(2) and connect(2).
    static func state(of path: String) -> State {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return errno == ENOENT || errno == ENOTDIR ? .missing : state(errno)
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { return .noSocket }
        guard let address = SocketAddress(path: path) else {
            return .failed(why: "the path is too long")
        }
        let descriptor = address.makeStreamSocket(isBlocking: false)
        guard descriptor >= 0 else { return state(errno) }
        defer { close(descriptor) }
        guard address.withPointer({ connect(descriptor, $0, $1) }) == 0 else {
            return state(errno)
        }
        return .listening
    }

    /// The state after a system call failed.
    private static func state(_ error: Int32) -> State {
        switch error {
        case ECONNREFUSED: .abandoned
        case EACCES, EPERM: .denied
        // The queue of connections is full: something listens.
        case EAGAIN: .listening
        default: .failed(why: String(cString: strerror(error)))
        }
    }

    static func finding(_ state: State, path: String) -> DoctorFinding {
        let service = (ServiceName(socket: path) ?? .main).text
        let start = "start the daemon: systemctl start \(service)"
        return switch state {
        case .listening: .ok(.socket, "a daemon listens at \(path)")
        case .missing:
            .fault(
                .socket,
                "there is no socket at \(path): the daemon does not run, or has another socket",
                "\(start); or name its socket with --socket")
        case .noSocket:
            .fault(
                .socket, "\(path) is not a socket",
                "remove the file, or name the daemon's socket with --socket")
        case .abandoned:
            .fault(
                .socket, "nothing listens at \(path): the daemon that made the socket has ended",
                "\(start); journalctl -u \(service) says why it has ended")
        case .denied:
            .fault(
                .socket, "you may not connect to \(path)",
                "run this as root, or add your user to the group of the socket: adduser USER gamed")
        case .failed(let why):
            .fault(.socket, "\(path): \(why)", "look at the directory of the socket")
        }
    }
}
