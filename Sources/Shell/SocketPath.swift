public import Glibc

/// Where the daemon's socket is unless an option says otherwise. Clients look for it; see `ClientSocket`.
public enum SocketPath {
    /// Where the installed service has it.
    public static let service = "/run/gamed/gamed.sock"

    /// `$RUNTIME_DIRECTORY/gamed.sock`, else `$XDG_RUNTIME_DIR/gamed.sock`, else
    /// `/run/gamed/gamed.sock`.
    public static var standard: String {
        for variable in ["RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"] {
            if let directory = ServiceDirectory.named(variable) { return directory + "/gamed.sock" }
        }
        return service
    }

    /// The address of a UNIX socket, for bind(2) and connect(2); nil when the path does not fit.
    public static func address(_ path: String) -> sockaddr_un? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard !bytes.isEmpty, !bytes.contains(0), bytes.count < room.count else { return false }
            room.copyBytes(from: bytes)
            return true
        }
        return fits ? address : nil
    }

    /// A new UNIX socket for streams, which no program started later inherits; negative, with errno, if
    /// there is none to be had. Wraps socket(2).
    public static func socket(waits: Bool = true) -> Int32 {
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
        return Glibc.socket(AF_UNIX, Int32(waits ? kind : kind | SOCK_NONBLOCK.rawValue), 0)
    }

    /// Calls `body` with an address as bind(2) and connect(2) want it.
    public static func with<R>(
        _ address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
