public import Glibc

/// The path at which the daemon makes its socket by default, and functions for UNIX sockets. A client finds the socket with
/// `ClientSocket`.
public enum SocketPath {
    /// The path of the socket if the daemon is installed as a service.
    public static let service = "/run/gamed/gamed.sock"

    /// The path for a daemon without the option `--socket`: `$RUNTIME_DIRECTORY/gamed.sock`, else
    /// `$XDG_RUNTIME_DIR/gamed.sock`, else `/run/gamed/gamed.sock`.
    public static var defaultPath: String {
        for variable in ["RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"] {
            if let directory = ServiceDirectory.named(variable) { return directory + "/gamed.sock" }
        }
        return service
    }

    /// The address of a UNIX socket for bind(2) and connect(2); nil if the path is too long or
    /// invalid.
    public static func address(_ path: String) -> sockaddr_un? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let isValid = withUnsafeMutableBytes(of: &address.sun_path) { field in
            guard !bytes.isEmpty, !bytes.contains(0), bytes.count < field.count else {
                return false
            }
            field.copyBytes(from: bytes)
            return true
        }
        return isValid ? address : nil
    }

    /// Creates a UNIX stream socket with close-on-exec. Returns its descriptor; a negative number, with errno, if this fails.
    /// Wraps socket(2).
    public static func socket(isBlocking: Bool = true) -> Int32 {
        let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
        return Glibc.socket(AF_UNIX, Int32(isBlocking ? flags : flags | SOCK_NONBLOCK.rawValue), 0)
    }

    /// Calls `body` with a pointer to an address and the address's length, which are arguments of bind(2) and connect(2).
    public static func withPointer<R>(
        to address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// The directories that a service manager gives to a service in environment variables; see
/// systemd.exec(5).
public enum ServiceDirectory {
    /// The directory for persistent data, `$STATE_DIRECTORY`; nil if it is not set.
    public static var state: String? { named("STATE_DIRECTORY") }

    /// The directory in an environment variable. systemd may put several directories there, separated by colons; the result is
    /// then the first directory.
    static func named(_ variable: String) -> String? {
        guard let value = getenv(variable) else { return nil }
        return String(cString: value).split(separator: ":").first.map(String.init)
    }
}
