internal import Glibc

/// The path at which the daemon makes its socket by default. A client finds the socket with `ClientSocket`.
public enum SocketPath {
    /// The path of the socket if the daemon is installed as a service.
    public static let service = "/run/gamed/gamed.sock"

    /// The path for a daemon without the option `--socket`: `$RUNTIME_DIRECTORY/gamed.sock`, else
    /// `$XDG_RUNTIME_DIR/gamed.sock`, else `/run/gamed/gamed.sock`.
    public static var defaultPath: String {
        defaultVariable.flatMap { ServiceDirectory.named($0) }.map { $0 + "/gamed.sock" } ?? service
    }

    /// The environment variable that decides the default path; nil if none is set.
    public static var defaultVariable: String? {
        ["RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"].first { ServiceDirectory.named($0) != nil }
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
