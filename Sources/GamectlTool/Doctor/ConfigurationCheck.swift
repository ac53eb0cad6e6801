import Glibc
import Shell
import Support

/// Checks a configuration with `gamed --check`, and whether values of the running daemon wait for a restart.
enum ConfigurationCheck {
    /// `path` is the configuration; nil for the one that gamed reads without an option. `stateDirectory` is that of the daemon,
    /// and `service` the name of its service.
    static func findings(
        path: String?, stateDirectory: String?, pending: [String], service: String
    ) -> [DoctorFinding] {
        let name = path ?? "the configuration"
        let waiting = pendingFinding(pending, service)
        let run: FinishedProgram
        do throws(FinishedProgram.RunError) {
            run = try DaemonProgram.run(
                ["--check"], configuration: path, stateDirectory: stateDirectory)
        } catch {
            return waiting + [
                .skipped(.configuration, "\(error.why), so \(name) was not checked")
            ]
        }
        if run.status != 0, run.output.isEmpty {
            return waiting + [
                .skipped(
                    .configuration, "gamed --check has ended with status \(run.status)",
                    "run gamed --check")
            ]
        }
        return waiting + findings(name, run.output, isRoot: geteuid() == 0)
    }

    /// The findings in what `gamed --check` has written: a mistake or a note in each line.
    static func findings(_ name: String, _ output: String, isRoot: Bool) -> [DoctorFinding] {
        let lines = output.split(separator: "\n").map { line in
            line.hasPrefix("gamed: ") ? String(line.dropFirst("gamed: ".count)) : String(line)
        }
        let findings: [DoctorFinding] = lines.filter { !$0.hasPrefix("Try ") }.map { line in
            if line.hasPrefix("note: ") {
                return .warning(
                    .configuration, String(line.dropFirst("note: ".count)),
                    "gamed.conf(5) explains each line")
            }
            // The daemon's user may read more than the caller.
            if !isRoot, line.hasSuffix("Permission denied") {
                return .skipped(.configuration, line, "run this as root")
            }
            return .fault(
                .configuration, line, "correct it, check with gamed --check, and run gamectl reload"
            )
        }
        return findings.isEmpty ? [.ok(.configuration, "\(name) has no mistakes")] : findings
    }

    private static func pendingFinding(_ pending: [String], _ service: String) -> [DoctorFinding] {
        guard !pending.isEmpty else { return [] }
        return [
            .warning(
                .configuration,
                "these settings have changed and wait for a restart: \(pending.joined(separator: ", "))",
                "systemctl restart \(service)")
        ]
    }
}
