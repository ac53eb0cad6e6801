import Glibc
import TestSupport
import Testing

/// Several addresses for lines and for HTTP, and addresses that the machine does not have at the start.
@Suite struct AddressesTests {
    private let folder = Folder()

    private func daemon(_ configuration: String, _ arguments: [String] = []) throws -> DaemonProcess
    {
        let file = folder.write("gamed.conf", configuration)
        return try DaemonProcess(["--config", file, "--clock", "virtual"] + arguments)
    }

    private func curl(_ url: String, _ daemon: DaemonProcess, _ options: String = "") -> String {
        ShellCommand.run("curl -sS -m 120 \(options) '\(url)'", daemon)
    }

    @Test func `each address of http and listen is opened and logged`() throws {
        let daemon = try daemon(
            """
            http 127.0.0.1:0
            http 127.0.0.2:0
            http unix:\(folder.path)/web.sock
            listen 127.0.0.1:0
            listen 127.0.0.2:0
            allow source:tcp observe
            """)
        let webs = daemon.webs
        #expect(webs.count == 3)
        for (web, host) in zip(webs, ["http://127.0.0.1:", "http://127.0.0.2:"]) {
            #expect(web.hasPrefix(host))
            #expect(curl("\(web)/healthz", daemon) == "ok\n")
        }
        #expect(
            curl("http://x/healthz", daemon, "--unix-socket \(folder.path)/web.sock") == "ok\n")
        let lines = daemon.output.split(separator: "\n").compactMap { line in
            line.firstRange(of: "lines over TCP at ").map { String(line[$0.upperBound...]) }
        }
        #expect(lines.count == 2)
        for place in lines { #expect(try Client(tcp: place).ask("ping").hasPrefix("OK ")) }
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
    }

    @Test func `each address has its own cookie, and the streams of all are counted`() throws {
        let daemon = try daemon(
            "http 127.0.0.1:0\nhttp 127.0.0.2:0\nallow token:desk observe\nallow source:web observe\n"
        )
        let token = ShellCommand.run("gamectl --socket $S token add desk", daemon)
            .filter(\.isHexDigit)
        var clients: [Client] = []
        for web in daemon.webs {
            let port = web.split(separator: ":").last ?? ""
            let login = curl(
                "\(web)/v1/login", daemon, "-i -H 'Content-Type: text/plain' -d \(token)")
            #expect(login.contains("Set-Cookie: gamed-\(port)=\(token);"), "\(login)")
            let client = try Client(tcp: String(web.dropFirst("http://".count)))
            client.write(
                "GET /v1/events?session=* HTTP/1.1\r\nHost: \(web.dropFirst(7))\r\n\r\n")
            while let line = client.line(), !line.hasPrefix("event: snapshot") {}
            clients.append(client)
        }
        for web in daemon.webs {
            #expect(curl("\(web)/metrics", daemon).contains("\ngamed_web_streams 2\n"))
        }
        // The daemon ends although streams are open at each address.
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
    }

    // MARK: addresses that the machine does not have

    /// A daemon in a network namespace of its own, which has only the loopback interface.
    private func isolated(_ configuration: String, _ arguments: [String] = []) throws
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
    private func inside(_ command: String, _ daemon: DaemonProcess) -> String {
        let enter = "nsenter --preserve-credentials -t \(daemon.pid) --user --net"
        return ShellCommand.run("PATH=$PATH:/usr/sbin:/sbin; \(enter) sh -c '\(command)'", daemon)
    }

    @Test func `an address that appears after the start is opened then`() throws {
        let daemon = try isolated(
            "http 192.0.2.10:8095\nlisten 192.0.2.11:7001\ninsecure\n")
        let why = "cannot listen yet at 192.0.2.10:8095: Cannot assign requested address"
        #expect(daemon.output.contains("--http: \(why); gamed tries again\n"))
        #expect(daemon.output.contains("--listen: cannot listen yet at 192.0.2.11:7001: "))
        #expect(daemon.output.contains("listens at \(daemon.socket)"))
        #expect(inside("ip address add 192.0.2.11/32 dev lo", daemon) == "")
        #expect(daemon.waitFor("lines over TCP at 192.0.2.11:7001\n"))
        #expect(inside("ip address add 192.0.2.10/32 dev lo", daemon) == "")
        #expect(daemon.waitFor("web at http://192.0.2.10:8095/\n"))
        #expect(inside("curl -sS -m 120 http://192.0.2.10:8095/healthz", daemon) == "ok\n")
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
    }

    @Test func `an unknown host name is looked up again without blocking anything`() throws {
        let daemon = try isolated("http nosuch.invalid:8095\ninsecure\n")
        #expect(daemon.output.contains("--http: cannot listen yet at nosuch.invalid: "))
        #expect(daemon.waitFor("tried 2 times\n"))
        #expect(ShellCommand.run("gamectl --socket $S ping", daemon).contains("pong"))
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
    }

    @Test func `an address in use is an error at the start`() throws {
        let first = try daemon("http 127.0.0.1:0\n")
        let place = first.web.dropFirst("http://".count)
        for option in ["http", "listen"] {
            let second = try daemon("\(option) \(place)\n")
            #expect(
                second.output.contains(
                    "--\(option): cannot listen at \(place): Address already in use\n"))
            #expect(second.waitForEnd() == 1)
        }
    }

    @Test func `checking opens no address`() throws {
        let first = try daemon("http 127.0.0.1:0\n")
        let place = first.web.dropFirst("http://".count)
        for address in ["\(place)", "192.0.2.10:8095", "nosuch.invalid:8095"] {
            #expect(
                ShellCommand.run("gamed --check --insecure --http \(address); echo $?") == "0\n")
        }
    }

    @Test func `the log contains all addresses, and marks IPv6-only ones`() throws {
        let daemon = try isolated("http 0.0.0.0:8095\ninsecure\n")
        #expect(daemon.output.contains("web at http://127.0.0.1:8095/\n"))
        let here = try self.daemon("http 0.0.0.0:0\nhttp [::]:0\nlisten [::]:0\ninsecure\n")
        #expect(
            ShellCommand.run("echo '\(here.output)' | grep -c 'web at http://.*127.0.0.1:[0-9]*/'")
                == "1\n")
        #expect(
            ShellCommand.run("echo '\(here.output)' | grep -c ' at .*\\[::1*\\].* (IPv6 only)'")
                == "2\n", "\(here.output)")
    }
}
