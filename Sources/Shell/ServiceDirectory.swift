internal import Glibc

/// The directories that a service manager gives a service, by environment variables; see systemd.exec(5).
public enum ServiceDirectory {
    /// Where a service keeps what it must not lose: `$STATE_DIRECTORY`; nil without one.
    public static var state: String? { named("STATE_DIRECTORY") }

    /// The directory in a variable. systemd joins several by colons; the first one counts.
    static func named(_ variable: String) -> String? {
        guard let value = getenv(variable) else { return nil }
        return String(cString: value).split(separator: ":").first.map(String.init)
    }
}
