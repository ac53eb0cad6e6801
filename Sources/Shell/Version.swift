internal import CBuild

/// The version of the daemon and its client, which are released together.
public let gamedVersion = "0.2.0"

/// Which build of the program this is.
public enum BuildInformation {
    /// The first digits of the commit; `unknown` for a build without `make build`.
    public static let commit = String(cString: build_commit())

    /// The version of the Swift compiler, without the last number.
    public static let swift: String = {
        #if compiler(>=6.5)
            "6.5 or newer"
        #elseif compiler(>=6.4)
            "6.4"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }()

    /// A line such as `gamed 0.1.0 (commit 1a2b3c4d, Swift 6.3)`.
    public static func line(_ program: String) -> String {
        "\(program) \(gamedVersion) (commit \(commit), Swift \(swift))"
    }
}
