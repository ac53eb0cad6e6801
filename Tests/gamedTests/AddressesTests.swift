import Connections
import Glibc
import TestSupport
import Testing

/// A daemon with several addresses for HTTP and for lines over TCP, and with addresses that the machine gets only later.
@Suite struct AddressesTests {
    private let folder = Folder()

    private func startDaemon(
        _ configuration: String, _ arguments: [String] = []
    ) throws -> DaemonProcess {
        let file = folder.write("gamed.conf", configuration)
        return try DaemonProcess(["--config", file, "--clock", "virtual"] + arguments)
    }

    /// Requests a URL, for at most 120 seconds.
    private func curl(_ url: String, _ daemon: DaemonProcess, _ options: String = "") -> String {
        ShellCommand.run("curl -sS -m 120 \(options) '\(url)'", daemon)
    }

    @Test func `each address of http and listen is opened and logged`() throws {
        let daemon = try startDaemon(
            """
            http 127.0.0.1:0
            http 127.0.0.2:0
            http unix:\(folder.path)/web.sock
            listen 127.0.0.1:0
            listen 127.0.0.2:0
            allow source:tcp observe
            """)
        let addresses = daemon.webAddresses
        #expect(addresses.count == 3)
        for (address, beginning) in zip(addresses, ["http://127.0.0.1:", "http://127.0.0.2:"]) {
            #expect(address.hasPrefix(beginning))
            #expect(curl("\(address)/healthz", daemon) == "ok\n")
        }
        #expect(
            curl("http://x/healthz", daemon, "--unix-socket \(folder.path)/web.sock") == "ok\n")
        let tcpAddresses = daemon.output.split(separator: "\n").compactMap { line in
            line.firstRange(of: "lines over TCP at ").map { String(line[$0.upperBound...]) }
        }
        #expect(tcpAddresses.count == 2)
        for address in tcpAddresses {
            #expect(try Client(tcp: address).ask("ping").hasPrefix("OK "))
        }
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
    }

    @Test
    func `each web address has its own cookie, and the metrics count the streams of all addresses`()
        throws
    {
        let daemon = try startDaemon(
            "http 127.0.0.1:0\nhttp 127.0.0.2:0\nallow token:desk observe\nallow source:web observe\n"
        )
        let token = ShellCommand.run("gamectl --socket $S token add desk", daemon)
            .filter(\.isHexDigit)
        var clients: [Client] = []
        for address in daemon.webAddresses {
            let port = address.split(separator: ":").last ?? ""
            let response = curl(
                "\(address)/v1/login", daemon, "-i -H 'Content-Type: text/plain' -d \(token)")
            #expect(response.contains("Set-Cookie: gamed-\(port)=\(token);"), "\(response)")
            let host = String(address.dropFirst("http://".count))
            let client = try Client(tcp: host)
            client.write("GET /v1/events?session=* HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            while let line = client.line(), !line.hasPrefix("event: snapshot") {}
            clients.append(client)
        }
        for address in daemon.webAddresses {
            #expect(
                curl("\(address)/metrics", daemon).contains("\ngamed_clients{kind=\"stream\"} 2\n"))
        }
        // The daemon ends although streams are open at each address.
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
    }

    // MARK: addresses that the machine does not have at the start

    /// Starts a daemon in a network namespace of its own, which has only the loopback interface.
    private func startIsolatedDaemon(_ configuration: String, _ arguments: [String] = []) throws
        -> DaemonProcess
    {
        let file = folder.write("gamed.conf", configuration)
        return try DaemonProcess(
            ["--config", file, "--clock", "virtual"] + arguments,
            by: ["/usr/bin/unshare", "--user", "--map-root-user", "--net"] + [
                "/bin/sh", "-c", "PATH=$PATH:/usr/sbin:/sbin; ip link set lo up && exec \"$@\"",
                "sh",
            ])
    }

    /// Runs a command in the network namespace of a daemon.
    private func run(_ command: String, inNamespaceOf daemon: DaemonProcess) -> String {
        let enterNamespace = "nsenter --preserve-credentials -t \(daemon.pid) --user --net"
        return ShellCommand.run(
            "PATH=$PATH:/usr/sbin:/sbin; \(enterNamespace) sh -c '\(command)'", daemon)
    }

    @Test func `the daemon opens an address that the machine gets after the start`() throws {
        let daemon = try startIsolatedDaemon(
            "http 192.0.2.10:8095\nlisten 192.0.2.11:7001\ninsecure\n")
        let reason = "cannot listen yet at 192.0.2.10:8095: Cannot assign requested address"
        #expect(daemon.output.contains("--http: \(reason); gamed tries again\n"))
        #expect(daemon.output.contains("--listen: cannot listen yet at 192.0.2.11:7001: "))
        #expect(daemon.output.contains("listens at \(daemon.socket)"))
        #expect(run("ip address add 192.0.2.11/32 dev lo", inNamespaceOf: daemon) == "")
        #expect(daemon.waitFor("lines over TCP at 192.0.2.11:7001\n"))
        #expect(run("ip address add 192.0.2.10/32 dev lo", inNamespaceOf: daemon) == "")
        #expect(daemon.waitFor("web at http://192.0.2.10:8095/\n"))
        let health = run(
            "curl -sS -m 120 http://192.0.2.10:8095/healthz", inNamespaceOf: daemon)
        #expect(health == "ok\n")
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
    }

    @Test func `while an unknown host name is looked up again, the daemon answers requests`() throws
    {
        let daemon = try startIsolatedDaemon("http nosuch.invalid:8095\ninsecure\n")
        #expect(daemon.output.contains("--http: cannot listen yet at nosuch.invalid: "))
        #expect(daemon.waitFor("tried 2 times\n"))
        #expect(ShellCommand.run("gamectl --socket $S ping", daemon).contains("pong"))
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
    }

    @Test func `an address in use is an error at the start`() throws {
        let running = try startDaemon("http 127.0.0.1:0\n")
        let address = running.webAddress.dropFirst("http://".count)
        for option in ["http", "listen"] {
            let refused = try startDaemon("\(option) \(address)\n")
            #expect(
                refused.output.contains(
                    "--\(option): cannot listen at \(address): Address already in use\n"))
            #expect(refused.waitForEnd() == 1)
        }
    }

    @Test func `--check opens no address`() throws {
        let running = try startDaemon("http 127.0.0.1:0\n")
        let addressInUse = running.webAddress.dropFirst("http://".count)
        for address in ["\(addressInUse)", "192.0.2.10:8095", "nosuch.invalid:8095"] {
            #expect(
                ShellCommand.run("gamed --check --insecure --http \(address); echo $?") == "0\n")
        }
    }

    @Test func `the log contains all web addresses, and marks those that are only for IPv6`() throws
    {
        let isolated = try startIsolatedDaemon("http 0.0.0.0:8095\ninsecure\n")
        #expect(isolated.output.contains("web at http://127.0.0.1:8095/\n"))
        let daemon = try startDaemon("http 0.0.0.0:0\nhttp [::]:0\nlisten [::]:0\ninsecure\n")
        // One line names the IPv4 address. Two lines are marked: the lines of http and of listen at [::].
        #expect(
            ShellCommand.run(
                "echo '\(daemon.output)' | grep -c 'web at http://.*127.0.0.1:[0-9]*/'") == "1\n")
        #expect(
            ShellCommand.run("echo '\(daemon.output)' | grep -c ' at .*\\[::1*\\].* (IPv6 only)'")
                == "2\n", "\(daemon.output)")
    }
}
