import Shell

/// Compares the versions of gamectl, of the running daemon and of the installed one.
enum VersionCheck {
    /// A version with its commit.
    struct Build: Equatable {
        let version: String
        let commit: String

        var text: String { "\(version) (commit \(commit))" }

        /// gamectl itself.
        static let own = Build(version: gamedVersion, commit: BuildInformation.commit)
    }

    /// The version in the output of `gamed --version`; nil if it has none.
    static func build(in line: String) -> Build? {
        guard let match = line.firstMatch(of: /^\S+ (\S+) \(commit ([^,)]+)/) else { return nil }
        return Build(version: String(match.1), commit: String(match.2))
    }

    /// `daemon` is the running daemon, and `installed` the program; nil if it is not known.
    /// `service` is the name of the daemon's service.
    static func findings(
        _ own: Build, daemon: Build?, installed: Build?, service: String = ServiceName.main.text
    ) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        if let daemon, daemon.version != own.version {
            findings.append(
                .warning(
                    .versions, "gamectl is \(own.text), and the daemon \(daemon.text)",
                    "upgrade the packages gamed and gamectl together, and restart the daemon"))
        }
        if let daemon, let installed, daemon != installed {
            findings.append(
                .warning(
                    .versions,
                    "the installed gamed is \(installed.text), and the running one \(daemon.text)",
                    "systemctl restart \(service) starts the installed one"))
        }
        if !findings.isEmpty { return findings }
        guard let daemon else {
            return [.skipped(.versions, "gamectl is \(own.text); no daemon has answered")]
        }
        return [.ok(.versions, "gamectl and the daemon are \(daemon.text)")]
    }
}
