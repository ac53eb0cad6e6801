import Shell
import Support

/// Checks the service of systemd to which a socket belongs.
enum UnitCheck {
    /// The unit whose daemon has its socket at this path; nil if it is not the socket of a service.
    static func unit(ofSocket path: String) -> String? {
        ServiceName(socket: path).map { "\($0.text).service" }
    }

    private static let properties = [
        "LoadState", "ActiveState", "SubState", "Result", "NRestarts", "NeedDaemonReload",
        "UnitFileState",
    ]

    /// Asks systemd for the unit. Wraps systemctl(1).
    static func findings(ofSocket path: String) -> [DoctorFinding] {
        guard let unit = unit(ofSocket: path) else {
            return [.skipped(.unit, "\(path) is not the socket of a service")]
        }
        do throws(FinishedProgram.RunError) {
            let run = try FinishedProgram(
                ["systemctl", "show", "-p", properties.joined(separator: ","), unit])
            guard run.status == 0 else {
                return [.skipped(.unit, "systemd does not run here, so \(unit) was not checked")]
            }
            return findings(of: unit, run.output)
        } catch {
            return [.skipped(.unit, "\(error.why), so \(unit) was not checked")]
        }
    }

    /// The findings about a unit with these properties, a line `NAME=VALUE` each.
    static func findings(of unit: String, _ properties: String) -> [DoctorFinding] {
        var values: [String: String] = [:]
        for line in properties.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
        }
        func value(_ name: String) -> String { values[name] ?? "" }
        guard value("LoadState") == "loaded" else {
            return [
                .fault(
                    .unit, "systemd has no unit \(unit)",
                    "install the package gamed, and run systemctl daemon-reload")
            ]
        }
        return [activity(of: unit, value("ActiveState"), value("SubState"), value("Result"))]
            + notes(of: unit, value)
    }

    private static func activity(
        of unit: String, _ active: String, _ sub: String, _ result: String
    ) -> DoctorFinding {
        switch active {
        case "active", "reloading": .ok(.unit, "\(unit) is \(active)")
        case "activating" where sub == "auto-restart":
            .fault(
                .unit, "\(unit) does not start, and systemd tries again (\(result))",
                "journalctl -u \(unit) -n 50 has the reason")
        case "activating": .warning(.unit, "\(unit) is starting", "wait, and look again")
        case "failed":
            .fault(
                .unit, "\(unit) has failed (\(result))",
                "journalctl -u \(unit) -n 50 has the reason; then systemctl restart \(unit)")
        default: .fault(.unit, "\(unit) is \(active)", "systemctl start \(unit)")
        }
    }

    private static func notes(of unit: String, _ value: (String) -> String) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        let restarts = Int(value("NRestarts")) ?? 0
        if restarts > 0 {
            findings.append(
                .warning(
                    .unit, "systemd has restarted \(unit) \(CountText.write(restarts, "time"))",
                    "journalctl -u \(unit) has the reason"))
        }
        if value("NeedDaemonReload") == "yes" {
            findings.append(
                .warning(
                    .unit, "the files of \(unit) have changed since systemd has read them",
                    "systemctl daemon-reload && systemctl restart \(unit)"))
        }
        if value("UnitFileState") == "disabled" {
            findings.append(
                .warning(
                    .unit, "\(unit) does not start with the machine", "systemctl enable \(unit)"))
        }
        return findings
    }
}
