import EventLoop
import GameFlow
import JSONCoding
import Shell
import Support

/// `gamectl doctor`: examines the daemon and its machine, and says what is wrong and what helps. It works without a daemon, too.
struct DoctorCommand: Equatable {
    let settings: Settings
    /// The path of the configuration that is checked; nil for the one of the daemon.
    let configuration: String?

    /// Prints the findings. Throws if there is a fault.
    func run(_ loop: LibeventLoop) throws(CommandError) {
        let findings = try examine(loop)
        let faults = findings.count { $0.result == .fault }
        if settings.isJSON {
            Output.json(JSONWriter.bytes { $0.object(Self.members(findings)) })
        } else {
            for line in Self.lines(findings, .standardOutput) { Output.line(line) }
        }
        if faults > 0 { throw .check(CountText.write(faults, "fault")) }
    }

    /// All findings, in the order of the subjects.
    private func examine(_ loop: LibeventLoop) throws(CommandError) -> [DoctorFinding] {
        let path = settings.socket.path
        let service = ServiceName(socket: path) ?? .main
        let state = SocketCheck.state(of: path)
        var findings = [SocketCheck.finding(state, path: path)]
        var daemon: DoctorDaemon?
        if state == .listening {
            do throws(CommandError) { daemon = try DoctorDaemon(settings, loop) } catch {
                findings.append(
                    .fault(
                        .socket, "the daemon does not answer: \(error.why)",
                        "journalctl -u \(service.text) -n 50; systemctl restart \(service.text)"))
            }
        }
        findings += daemon?.findings ?? []
        findings += UnitCheck.findings(ofSocket: path)
        let installed = try? DaemonProgram.run(["--version"])
        findings += VersionCheck.findings(
            .own, daemon: daemon?.build,
            installed: installed.flatMap { VersionCheck.build(in: $0.output) },
            service: service.text)
        // Without an answer of an instance, its configuration is the one that its unit names.
        let file =
            configuration ?? daemon?.configuration?.path
            ?? (service.instance == nil ? nil : service.configuration)
        let known =
            (configuration == nil ? daemon?.configuration : nil) ?? Self.readConfiguration(file)
        findings += ConfigurationCheck.findings(
            path: file ?? known.path,
            stateDirectory: daemon?.configuration?.values(of: "state-dir").first,
            pending: daemon?.configuration?.pending ?? [], service: service.text)
        findings += CertificateCheck.findings(known)
        // `store` names a directory or the URL of a database.
        let directories =
            known.values(of: "state-dir")
            + known.values(of: "store").filter { !$0.contains("://") }
        findings +=
            directories.isEmpty
            ? [.skipped(.disk, "the daemon has no state directory, as far as it is known")]
            : directories.flatMap { DiskCheck.findings(ofStateDirectory: $0) }
        findings.append(MachineClockCheck.finding(MachineClockCheck.state))
        return DoctorFinding.Subject.allCases.flatMap { subject in
            findings.filter { $0.subject == subject }
        }
    }

    /// The settings in a configuration, as gamed reads them. Mistakes are found by `ConfigurationCheck`.
    private static func readConfiguration(_ path: String?) -> DoctorConfiguration {
        let result = try? DaemonProgram.settings(path).result
        return result.flatMap { try? DoctorConfiguration($0) } ?? DoctorConfiguration()
    }

    // MARK: output

    /// The findings as JSON.
    static func members(_ findings: [DoctorFinding]) -> [Member] {
        [
            Member("findings", .array(findings.map(\.json))),
            Member("faults", findings.count { $0.result == .fault }),
            Member("warnings", findings.count { $0.result == .warning }),
        ]
    }

    /// A line for each finding, and a line for its remedy.
    static func lines(_ findings: [DoctorFinding], _ terminal: Terminal) -> [String] {
        let resultWidth = 8
        let subjectWidth = DoctorFinding.Subject.allCases.map(\.rawValue.count).max() ?? 0
        let indent = String(repeating: " ", count: resultWidth + subjectWidth + 2)
        return findings.flatMap { finding in
            let line =
                Table.pad(finding.result.rawValue, resultWidth)
                + Table.pad(finding.subject.rawValue, subjectWidth) + "  "
                + TerminalSafe.escaped(finding.text)
            let style: Terminal.Style? =
                switch finding.result {
                case .fault: .red
                case .warning: .yellow
                case .ok, .skipped: nil
                }
            let remedy =
                finding.remedy.isEmpty ? [] : [indent + TerminalSafe.escaped(finding.remedy)]
            return [style.map { terminal.paint(line, $0) } ?? line] + remedy
        }
    }
}
