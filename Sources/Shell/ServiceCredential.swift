internal import Glibc

/// A file that the service manager passes to the daemon as a credential (`LoadCredential=NAME:FILE`). In options and in the
/// configuration, `credential:NAME` stands for its path.
public enum ServiceCredential {
    private static let prefix = "credential:"

    /// The directory with the credentials of this process; nil if the service manager has passed none. See systemd.exec(5).
    public static var directory: String? {
        guard let value = getenv("CREDENTIALS_DIRECTORY") else { return nil }
        let path = String(cString: value)
        return path.hasPrefix("/") ? path : nil
    }

    /// The name of the credential that a text stands for; nil for another text. A name has no slash, because it is a file of
    /// the directory.
    public static func name(in text: String) -> String? {
        guard text.hasPrefix(prefix) else { return nil }
        let name = String(text.dropFirst(prefix.count))
        return name.isEmpty || name.hasPrefix(".") || name.utf8.contains(UInt8(ascii: "/"))
            ? nil : name
    }

    /// The path of the file that a text names. Without a directory of credentials, `credential:NAME` stays as it is.
    public static func path(_ text: String) -> String {
        guard let name = name(in: text), let directory else { return text }
        return "\(directory)/\(name)"
    }

    /// Whether the text stands for a credential, and this process has none. `gamed --check` in a shell has none.
    public static func isMissing(_ text: String) -> Bool {
        name(in: text) != nil && directory == nil
    }

    /// Whether a path is that of a credential. The service manager protects these files by other means than their modes.
    static func contains(_ path: String) -> Bool {
        guard let directory else { return false }
        return path.hasPrefix(directory + "/") && !path.contains("/../")
    }
}
