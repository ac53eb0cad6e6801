import Connections
import Glibc
import Shell
import TestSupport
import Testing

@testable import GamedServer

/// The method `reload`, and the log after SIGHUP.
@Suite struct ReloadTests {
    private let folder = Folder()

    private func start(_ configuration: String, _ arguments: [String] = []) throws -> DaemonProcess
    {
        let path = folder.write("gamed.conf", configuration)
        return try DaemonProcess(["--config", path] + arguments)
    }

    private func reload(_ daemon: DaemonProcess) -> String {
        ShellCommand.run("gamectl --socket $S reload; echo $?", daemon)
    }

    @Test func `reload says what changed, what did not, and what needs a restart`() throws {
        let daemon = try start("allow source:tcp observe\nlimit requests=5\nno-main\n")
        folder.write("gamed.conf", "allow source:tcp play\nlimit requests=5\nkeep 3d\nno-main\n")
        let answer = try Client(daemon.socket).ask("reload")
        // `keep` without a journal is a mistake.
        #expect(answer.hasPrefix("ERR invalid"), "\(answer)")
        folder.write(
            "gamed.conf", "allow source:tcp play\nlimit requests=5\nhttp-host hall\nno-main\n")
        #expect(
            try Client(daemon.socket).ask("reload")
                == #"OK {"changed":["allow"],"unchanged":["no-main","limit"],"restart":["http-host"]}"#
        )
        #expect(daemon.waitFor("rules: 1; changed: allow; restart the daemon for: http-host\n"))
        // The restart is still needed, and nothing else changed.
        #expect(reload(daemon) == "nothing changed\nneeds a restart: http-host\n0\n")
    }

    @Test(arguments: ["media", "tokens"])
    func `a path that does not exist is a mistake of the reload, and not only a need of a restart`(
        _ name: String
    ) throws {
        let daemon = try start("no-main\n")
        folder.write("gamed.conf", "no-main\n\(name) /no/such/path\n")
        let output = reload(daemon)
        #expect(
            output.hasPrefix("gamectl: \(folder.path)/gamed.conf:2:\(name.count + 2): --\(name) "),
            "\(output)")
        #expect(output.hasSuffix("No such file or directory\n1\n"), "\(output)")
    }

    @Test func `a bad configuration fails the reload with every mistake and its position`() throws {
        let daemon = try start("allow source:tcp observe\n")
        let path = "\(folder.path)/gamed.conf"
        folder.write("gamed.conf", "htp 127.0.0.1:8080\nallow source:tcp plays\n")
        let output = reload(daemon)
        #expect(
            output.hasPrefix("gamectl: \(path):1:1: htp: unknown; did you mean http"),
            "\(output)")
        #expect(
            output.hasSuffix(
                "gamectl: \(path):2:18: plays: expected observe, play, operate\n1\n"), "\(output)")
        let lines = daemon.waitFor("reload: the configuration is unchanged")
        #expect(lines && !daemon.output.contains("configuration reloaded"))
        // No signal came, so no line names one.
        #expect(!daemon.output.contains("SIGHUP"), "\(daemon.output)")
        let json = ShellCommand.run("gamectl --socket $S --json reload", daemon)
        #expect(json.contains(#""mistakes":["\#(path):1:1:"#), "\(json)")
    }

    @Test func `a broken certificate or flow file fails the reload, and the last line says so`()
        throws
    {
        TestCertificates.ofClients.write(to: folder)
        let flows = "flows/a.yaml"
        _ = ShellCommand.run("mkdir '\(folder.path)/flows'")
        folder.write(flows, ShellCommand.run("cat Examples/flows/game.yaml"))
        let daemon = try start(
            "listen 127.0.0.1:0\ntls-cert \(folder.path)/server.pem\ntls-key \(folder.path)/server.key\nflows flows\n"
        )
        folder.write(flows, "nonsense: [\n")
        folder.write("server.pem", "nonsense\n")
        let output = reload(daemon)
        #expect(output.contains("the certificate is unchanged"), "\(output)")
        #expect(
            output.contains("flow file: ") && output.contains("a.yaml:2:1: not YAML"), "\(output)")
        #expect(output.hasSuffix("\n1\n"))
        #expect(daemon.waitFor("rules: 0; not reloaded: what the lines above name\n"))
    }

    @Test func `changed files of unchanged lines are named`() throws {
        TestCertificates.ofClients.write(to: folder)
        let tokens = "\(folder.path)/tokens"
        let daemon = try start(
            "listen 127.0.0.1:0\ntls-cert \(folder.path)/server.pem\ntls-key \(folder.path)/server.key\n",
            ["--tokens", tokens])
        _ = ShellCommand.run(
            "cd '\(folder.path)'; cp second.pem server.pem; cp second.key server.key")
        folder.write("tokens", "desk \(String(repeating: "0", count: 64))\n")
        #expect(reload(daemon) == "changed: tls-cert, tls-key, tokens\n0\n")
        #expect(reload(daemon) == "nothing changed\n0\n")
    }

    @Test func `only operators of every session may reload`() throws {
        let daemon = try start("allow source:tcp operate session=main\nlisten 127.0.0.1:0\n")
        let answer = try Client(tcp: daemon.tcpAddress).ask("reload")
        #expect(answer.contains(#""needs":"operate in every session""#), "\(answer)")
    }

    @Test func `the unit restarts the service after two seconds, not after a bad configuration`() {
        let unit = ShellCommand.run("cat Service/gamed.service.in")
        for line in [
            "StartLimitIntervalSec=0", "RestartSec=2s", "RestartPreventExitStatus=2",
            "ExecReload=@PREFIX@/bin/gamectl reload",
        ] {
            #expect(unit.contains("\n\(line)\n"), "\(line)")
        }
    }

    @Test func `the service manager's status names the devices that are away`() throws {
        let path = "\(folder.path)/notify.sock"
        let manager = try NotifySocket(path)
        let lines = ["a", "b", "c", "d"].map { "serial \($0) \(folder.path)/none-\($0)\n" }
        let file = folder.write("gamed.conf", lines.joined())
        let daemon = try DaemonProcess(
            ["--config", file, "--clock", "virtual"], environment: ["NOTIFY_SOCKET=\(path)"])
        var message = ""
        for _ in 0..<60 where !message.contains("away") { message = manager.nextMessage() }
        #expect(message.contains("; 4 devices away: a, b, c, …"), "\(message)")
        withExtendedLifetime(daemon) {}
    }

    @Test func `the service manager's status follows sessions, clients and the storage`() throws {
        let path = "\(folder.path)/notify.sock"
        let manager = try NotifySocket(path)
        let file = folder.write("gamed.conf", "")
        let daemon = try DaemonProcess(
            ["--config", file, "--state-dir", "\(folder.path)/state"],
            environment: ["NOTIFY_SOCKET=\(path)"])
        func waitForStatus(_ words: String) -> Bool {
            for _ in 0..<60 {
                if manager.nextMessage().contains(words) { return true }
            }
            return false
        }
        let client = try Client(daemon.socket)
        #expect(client.ask("open @b").hasPrefix("OK"))
        #expect(waitForStatus("STATUS=2 sessions, 1 client; the storage works"))
        _ = ShellCommand.run("prlimit --pid \(daemon.pid) --fsize=4000:unlimited")
        #expect(client.ask("send startPlaying").hasPrefix("ERR storage"))
        #expect(waitForStatus("not ready: the storage does not work at present: "))
    }

    @Test func `a build without make names no commit, and hello names what --version prints`()
        throws
    {
        let version = ShellCommand.run("gamed --version")
        // A release changes the version, and the test has to succeed in the commit of the release.
        #expect(
            version.wholeMatch(of: /gamed (\S+) \(commit \w+(-changed)?, Swift 6\.\d\)\n/)?.1 ?? ""
                == gamedVersion)
        #expect(
            ShellCommand.run("gamectl --version") == version.replacing("gamed ", with: "gamectl "))
        let daemon = try start("http 127.0.0.1:0\n")
        let commit = version.split(separator: " ")[3].dropLast()
        #expect(try Client(daemon.socket).ask("hello").contains(#""commit":"\#(commit)""#))
        let metrics = ShellCommand.run("curl -sS -m 60 $WEB/metrics", daemon)
        #expect(
            metrics.contains(
                "gamed_build_info{version=\"\(gamedVersion)\",commit=\"\(commit)\",swift=\"6."))
        #expect(
            try Client(daemon.socket).ask("nodes").contains(
                "\"build\":\"\(gamedVersion)+\(commit)\""))
        let makefile = ShellCommand.run("make -s -n build BUILD=/nowhere")
        #expect(makefile.contains("GAMED_COMMIT="), "\(makefile)")
    }
}
