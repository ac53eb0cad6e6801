import GameFlow
import JSONCoding
import RPC
import Shell
import Support
import Testing

@testable import GamectlTool

/// What `gamectl doctor` says about single states.
@Suite struct DoctorCheckTests {
    private func results(_ findings: [DoctorFinding]) -> [String] {
        findings.map { "\($0.result.rawValue): \($0.text)" }
    }

    @Test func `each result but ok and skipped has a remedy`() throws {
        let alert = #"{"id":"KIND:1","kind":"KIND","text":"x."}"#
        let kinds = [
            "connection", "source", "quiet", "output", "invitation", "storage", "shard", "clock",
            "certificate", "new",
        ]
        let alerts = kinds.compactMap {
            Value(json: alert.replacing("KIND", with: $0).utf8)
        }
        let room = DiskSpace(freeBytes: 1, totalBytes: 1 << 40, freeFiles: 1, totalFiles: 1)
        let states: [SocketCheck.State] = [
            .missing, .noSocket, .abandoned, .denied, .failed(why: "x"),
        ]
        let findings =
            try AlertCheck.findings(alerts, outage: nil) + [DiskCheck.finding("/d", room)]
            + states.map { SocketCheck.finding($0, path: "/s") }
            + [MachineClockCheck.finding(.unsynchronized)]
            + UnitCheck.findings(of: "u", "") + UnitCheck.findings(of: "u", "LoadState=loaded")
        #expect(findings.count > 18)
        for finding in findings where finding.result != .ok {
            #expect(!finding.remedy.isEmpty, "\(finding)")
        }
    }

    // MARK: the unit

    private func unit(_ properties: String) -> [String] {
        results(UnitCheck.findings(of: "gamed.service", "LoadState=loaded\n\(properties)"))
    }

    @Test func `a unit that runs is ok, and its restarts and changed files are warnings`() {
        let running = "ActiveState=active\nSubState=running\nResult=success\n"
        #expect(
            unit("\(running)NRestarts=0\nNeedDaemonReload=no\n") == ["ok: gamed.service is active"])
        #expect(
            unit("\(running)NRestarts=2\nNeedDaemonReload=yes\nUnitFileState=disabled\n") == [
                "ok: gamed.service is active",
                "warning: systemd has restarted gamed.service 2 times",
                "warning: the files of gamed.service have changed since systemd has read them",
                "warning: gamed.service does not start with the machine",
            ])
    }

    @Test(arguments: [
        ("ActiveState=failed\nResult=exit-code", "fault: gamed.service has failed (exit-code)"),
        ("ActiveState=inactive", "fault: gamed.service is inactive"),
        (
            "ActiveState=activating\nSubState=auto-restart\nResult=signal",
            "fault: gamed.service does not start, and systemd tries again (signal)"
        ),
        ("ActiveState=activating\nSubState=start", "warning: gamed.service is starting"),
    ])
    func `a unit that does not run is named with its result`(_ properties: String, _ text: String) {
        #expect(unit(properties) == [text])
    }

    @Test func `the socket of a service belongs to its unit`() {
        #expect(UnitCheck.unit(ofSocket: "/run/gamed/gamed.sock") == "gamed.service")
        #expect(UnitCheck.unit(ofSocket: "/run/gamed-hall/gamed.sock") == "gamed@hall.service")
        for path in ["/tmp/s", "/run/other/gamed.sock", "/run/gamed/x.sock", ""] {
            #expect(UnitCheck.unit(ofSocket: path) == nil, "\(path)")
        }
    }

    @Test func `remedies name the instance to which a socket belongs`() {
        let path = "/run/gamed-hall/gamed.sock"
        #expect(
            SocketCheck.finding(.missing, path: path).remedy.contains(
                "systemctl start gamed@hall;"))
        #expect(
            SocketCheck.finding(.abandoned, path: path).remedy.contains("journalctl -u gamed@hall ")
        )
        #expect(
            SocketCheck.finding(.missing, path: "/tmp/s").remedy.contains("systemctl start gamed;"))
        let (old, new) = (
            VersionCheck.Build(version: "1", commit: "a"),
            VersionCheck.Build(version: "2", commit: "b")
        )
        let finding = VersionCheck.findings(
            new, daemon: old, installed: new, service: "gamed@hall"
        ).last
        #expect(finding?.remedy.contains("systemctl restart gamed@hall ") == true)
        #expect(ServiceName(socket: path)?.configuration == "/etc/gamed/hall.conf")
        #expect(ServiceName(configuration: "/etc/gamed/hall.conf") == ServiceName(socket: path))
        #expect(ServiceName(configuration: "/etc/gamed/gamed.conf") == .main)
        for path in ["/etc/gamed/conf.d/a.conf", "hall.conf", "/etc/gamed/.conf", "/srv/hall.conf"]
        {
            #expect(ServiceName(configuration: path) == nil, "\(path)")
        }
    }

    // MARK: the disk

    @Test(
        arguments: [
            (DiskCheck.leastBytes - 1, 100, .fault), (DiskCheck.leastBytes, 100, .warning),
            (99 << 20, 100, .warning), (100 << 20, 100, .ok), (500 << 20, 0, .fault),
        ] as [(UInt64, UInt64, DoctorFinding.Result)])
    func `little room is a warning, and no room a fault`(
        _ free: UInt64, _ files: UInt64, _ result: DoctorFinding.Result
    ) {
        let room = DiskSpace(
            freeBytes: free, totalBytes: 1000 << 20, freeFiles: files, totalFiles: 100)
        #expect(DiskCheck.finding("/d", room).result == result)
    }

    @Test func `a file system without a fixed number of files has room for files`() {
        let room = DiskSpace(
            freeBytes: 1 << 30, totalBytes: 1 << 30, freeFiles: 0, totalFiles: 0)
        #expect(DiskCheck.finding("/d", room).result == .ok)
    }

    // MARK: the versions

    @Test func `another version of the daemon or of the installed program is a warning`() {
        let (old, new) = (
            VersionCheck.Build(version: "0.1.0", commit: "a"),
            VersionCheck.Build(version: "0.2.0", commit: "b")
        )
        func check(_ daemon: VersionCheck.Build?, _ installed: VersionCheck.Build?) -> [String] {
            VersionCheck.findings(new, daemon: daemon, installed: installed).map(\.result.rawValue)
        }
        #expect(check(new, new) == ["ok"] && check(new, nil) == ["ok"])
        #expect(check(old, new) == ["warning", "warning"])
        #expect(check(old, old) == ["warning"])
        #expect(check(nil, new) == ["skipped"])
        #expect(VersionCheck.build(in: "gamed 0.2.0 (commit b, Swift 6.3)\n") == new)
        #expect(VersionCheck.build(in: BuildInformation.line("gamed")) == .own)
    }

    // MARK: the alerts

    @Test func `an outage and its alert are one finding`() throws {
        let alerts = [
            #"{"id":"storage:journal","kind":"storage","text":"Disk full."}"#,
            #"{"id":"storage:database","kind":"storage","text":"It may lose changes."}"#,
        ].compactMap { Value(json: $0.utf8) }
        #expect(
            results(try AlertCheck.findings(alerts, outage: "disk full")).filter {
                $0.hasPrefix("fault")
            } == ["fault: the journal cannot be written: disk full", "fault: It may lose changes"])
        #expect(
            results(try AlertCheck.findings(alerts, outage: nil)).filter { $0.hasPrefix("fault") }
                == ["fault: Disk full", "fault: It may lose changes"])
    }

    // MARK: the configuration and the certificates

    @Test func `each line of gamed --check is a finding`() {
        func check(_ output: String, isRoot: Bool = true) -> [String] {
            results(ConfigurationCheck.findings("g.conf", output, isRoot: isRoot))
        }
        #expect(check("") == ["ok: g.conf has no mistakes"])
        #expect(
            check("gamed: g.conf:1:1: htp: unknown\ngamed: note: g.conf:2:1: no such room\n") == [
                "fault: g.conf:1:1: htp: unknown", "warning: g.conf:2:1: no such room",
            ])
        #expect(check("gamed: /key: Permission denied\n") == ["fault: /key: Permission denied"])
        #expect(
            check("gamed: /key: Permission denied\n", isRoot: false) == [
                "skipped: /key: Permission denied"
            ])
    }

    @Test func `a file without a certificate is a fault, and a credential is skipped`() throws {
        let text =
            #"{"settings":[{"name":"tls-cert","value":"/no/such","from":"default"},{"name":"node-ca","value":"credential:ca","from":"default"},{"name":"http-host","value":"a","from":"x:1","pending":true}]}"#
        let configuration = try DoctorConfiguration(try #require(Value(json: text.utf8)))
        #expect(configuration.pending == ["http-host"])
        #expect(
            CertificateCheck.findings(configuration, now: 0).map(\.result) == [.fault, .skipped])
        #expect(CertificateCheck.findings(DoctorConfiguration(), now: 0).map(\.result) == [.ok])
    }
}
