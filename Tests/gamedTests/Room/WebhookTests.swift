import Connections
import EventLoop
import Glibc
import Room
import TestSupport
import Testing

@testable import GamedServer

/// Webhooks. The receiver in `Clients/webhooks.py` verifies their signatures with a library of another project.
@Suite struct WebhookTests {
    private let folder = Folder()
    /// The example secret of the Standard Webhooks specification: 24 bytes in Base64.
    private let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    /// Starts a receiver that answers its requests with these status codes, such as `500 200`.
    private func startReceiver(
        _ statusCodes: String, environment: [String] = []
    ) throws -> (process: ChildProcess, port: String) {
        let program = ".venv/bin/python"
        let script = "\(RepositoryFile.root)/Tests/gamedTests/Clients/webhooks.py"
        let process = try ChildProcess(
            ["\(RepositoryFile.root)/\(program)", script, secret]
                + statusCodes.split(separator: " ").map(String.init), environment: environment,
            connecting: [1, 2])
        #expect(process.waitFor("port "))
        let port = process.output.split(separator: "\n").first?.split(separator: " ").last
        return (process, port.map(String.init) ?? "")
    }

    private func startDaemon(
        _ lines: String, environment: [String] = []
    ) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", lines)
        return try DaemonProcess(["--config", path, "--flow", "quiz"], environment: environment)
    }

    /// Writes a file with secrets, and returns its path.
    private func writeSecretFile(_ text: String) -> String {
        folder.write("secret", text, mode: 0o600)
    }

    @Test
    func
        `a receiver verifies a webhook by one of two secrets, and a repetition has the same id`()
        throws
    {
        let (process, port) = try startReceiver("500 200")
        defer { process.signal(SIGKILL) }
        let file = writeSecretFile("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n\(secret)\n")
        let daemon = try startDaemon(
            "on effect=ask http=http://localhost:\(port)/hook/$session secret-file=\(file) allow-special=yes\n"
        )
        #expect(try Client(daemon.socket).ask("send start rounds=2").hasPrefix("OK"))
        #expect(process.waitFor("verified gamed.effect", times: 2))
        let requestLines = process.output.split(separator: "\n").filter { $0.hasPrefix("POST") }
        #expect(requestLines.allSatisfy { $0.hasPrefix("POST /hook/main ") })
        #expect(Set(requestLines.map { $0.split(separator: " ")[2] }).count == 1, "\(requestLines)")
        let client = try Client(daemon.socket)
        let output = client.ask("outputs", until: #""delivered":1"#)
        #expect(output.contains(#""delivered":1"#) && output.contains("status 500"), "\(output)")
        #expect(!output.contains("whsec") && !daemon.output.contains("whsec"))
    }

    @Test(arguments: [false, true])
    func `https reaches a receiver whose certificate an authority of the system has signed`(
        _ isAddedByReload: Bool
    ) throws {
        // Writes the receiver's certificate, and the certificates of two authorities: `ca.pem`, which has signed the receiver's
        // certificate, and `other.pem`. The file SSL_CERT_FILE stands for the system's authorities.
        TestCertificates.ofClients.write(to: folder)
        let (process, port) = try startReceiver(
            "200", environment: ["CERTIFICATES=\(folder.path)"])
        defer { process.signal(SIGKILL) }
        let file = writeSecretFile("\(secret)\n")
        let line =
            "on effect=ask http=https://localhost:\(port)/hook secret-file=\(file) allow-special=yes\n"
        let daemon = try startDaemon(
            isAddedByReload ? "" : line, environment: ["SSL_CERT_FILE=\(folder.path)/ca.pem"])
        if isAddedByReload {
            folder.write("gamed.conf", line)
            daemon.signal(SIGHUP)
            #expect(daemon.waitFor("configuration reloaded"))
        }
        #expect(try Client(daemon.socket).ask("send start rounds=2").hasPrefix("OK"))
        #expect(process.waitFor("verified gamed.effect"))
    }

    @Test func `https does not reach a receiver with a certificate of an unknown authority`() throws
    {
        TestCertificates.ofClients.write(to: folder)
        let (process, port) = try startReceiver(
            "200", environment: ["CERTIFICATES=\(folder.path)"])
        defer { process.signal(SIGKILL) }
        let daemon = try startDaemon(
            "on effect=ask http=https://127.0.0.1:\(port)/hook allow-special=yes once=yes\n",
            environment: ["SSL_CERT_FILE=\(folder.path)/other.pem"])
        #expect(try Client(daemon.socket).ask("send start rounds=2").hasPrefix("OK"))
        #expect(daemon.waitFor("the certificate is not accepted"))
        #expect(!process.output.contains("POST"), "\(process.output)")
    }

    @Test func `a receiver that answers 410 gets no more requests, and a redirect is a failure`()
        throws
    {
        let (rejecting, rejectingPort) = try startReceiver("410")
        defer { rejecting.signal(SIGKILL) }
        let (redirecting, redirectingPort) = try startReceiver("302")
        defer { redirecting.signal(SIGKILL) }
        let daemon = try startDaemon(
            """
            on effect=* http=http://127.0.0.1:\(rejectingPort)/a allow-special=yes
            on effect=* http=http://127.0.0.1:\(redirectingPort)/b allow-special=yes once=yes

            """)
        let client = try Client(daemon.socket)
        #expect(client.ask("send start rounds=2").hasPrefix("OK"))
        #expect(rejecting.waitFor("POST /a"))
        #expect(redirecting.waitFor("POST /b"))
        var output = client.ask("outputs") { $0.contains("rejected") && $0.contains("redirect") }
        #expect(output.contains("410: the receiver wants no more"), "\(output)")
        #expect(output.contains("tried once: a redirect"), "\(output)")
        #expect(client.ask("send buzz player=ann").hasPrefix("OK"))
        #expect(redirecting.waitFor("POST /b", times: 2))
        output = client.ask("outputs", until: #""withheld":1"#)
        #expect(
            output.contains(#""state":"rejected""#) && output.contains(#""withheld":1"#),
            "\(output)")
        #expect(daemon.waitFor("the receiver wants no more; not sent"))
    }

    @Test func `an interim response without a final response is a failure at once`() throws {
        let (process, port) = try startReceiver("101")
        defer { process.signal(SIGKILL) }
        let daemon = try startDaemon(
            "on effect=ask http=http://127.0.0.1:\(port)/ allow-special=yes once=yes\n")
        #expect(try Client(daemon.socket).ask("send start rounds=2").hasPrefix("OK"))
        #expect(daemon.waitFor("given up: tried once: "))
        #expect(daemon.output.contains("given up: tried once: status 101"), "\(daemon.output)")
    }

    @Test func `a line sets method, body and headers, and values in the URL are encoded`() throws {
        let (process, port) = try startReceiver("204")
        defer { process.signal(SIGKILL) }
        let daemon = try startDaemon(
            """
            on effect=lock http="http://127.0.0.1:\(port)/cm?cmnd=$data.player" method=GET allow-special=yes
            on effect=lock http=http://127.0.0.1:\(port)/put method=PUT body="is $data.player" header="X-A: $session" allow-special=yes
            on effect=lock http=http://127.0.0.1:\(port)/json/$data.player body="{\\"by\\":\\"$data.player\\"}" allow-special=yes

            """)
        let client = try Client(daemon.socket)
        #expect(client.ask("send start rounds=2").hasPrefix("OK"))
        #expect(client.ask(#"send buzz player="a&b c""#).hasPrefix("OK"))
        #expect(process.waitFor("GET /cm?cmnd=a%26b%20c "), "\(process.output)")
        #expect(process.waitFor("is a&b c"), "\(process.output)")
        #expect(process.waitFor(#"{"by":"a&b c"}"#), "\(process.output)")
        // A server would resolve `..` in a path to another path.
        #expect(client.ask("send judge correct=false").hasPrefix("OK"))
        #expect(client.ask("send buzz player=..").hasPrefix("OK"))
        #expect(process.waitFor("is ..\n"), "\(process.output)")
        #expect(process.output.ranges(of: "POST /json/").count == 1)
        #expect(client.ask("outputs", until: #""givenUp":1"#).contains(#""givenUp":1"#))
    }

    @Test func `loopback, link-local and multicast addresses are refused unless they are allowed`()
        throws
    {
        let daemon = try startDaemon("on effect=* http=http://localhost:9/x\n")
        let client = try Client(daemon.socket)
        #expect(client.ask("send start rounds=2").hasPrefix("OK"))
        #expect(daemon.waitFor("is a loopback, link-local or multicast address"))
        // It is given up at once, and not repeated until it is too old.
        #expect(!daemon.output.contains("too old"))
        for text in [
            "127.0.0.1", "127.9.9.9", "169.254.1.1", "224.0.0.1", "255.255.255.255", "0.0.0.0",
            "::1",
            "::", "fe80::1", "ff02::1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1",
        ] {
            let address = HostLookup.numericAddresses(of: text, 80)?.first
            #expect(address.map(SpecialAddress.includes) == true, "\(text)")
        }
        for text in ["192.168.1.2", "10.0.0.1", "8.8.8.8", "fd00::1", "2001:db8::1"] {
            let address = HostLookup.numericAddresses(of: text, 80)?.first
            #expect(address.map(SpecialAddress.includes) == false, "\(text)")
        }
    }

    @Test
    func `an example of Standard Webhooks gets its signature, and invalid secrets are refused`() {
        let body = Array(#"{"test": 2432232314}"#.utf8)
        let signature = WebhookSecret(secret)?.signature(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330, body: body)
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        for text in ["", "whsec_", "whsec_AAAA", "whsec_!!!!", "x\(secret)", "\(secret)="] {
            #expect(WebhookSecret(text) == nil, "\(text)")
        }
    }

    @Test func `an attempt ends after its time limit if the receiver's reply does not end`() throws
    {
        let server = try ChildProcess(
            [
                "\(RepositoryFile.root)/.venv/bin/python", "-c",
                """
                import socket, sys, time
                s = socket.create_server(("127.0.0.1", 0))
                print("port", s.getsockname()[1], flush=True)
                while True:
                    c, _ = s.accept()
                    c.sendall(b"HTTP/1.1 200 OK\\r\\nX: ")
                    try:
                        while True:
                            c.sendall(b"x" * 100); time.sleep(0.01)
                    except OSError:
                        print("gone", flush=True)
                """,
            ], connecting: [1])
        defer { server.signal(SIGKILL) }
        #expect(server.waitFor("port "))
        let port = server.output.split(separator: "\n").first?.split(separator: " ").last ?? ""
        let daemon = try startDaemon(
            "on effect=ask http=http://127.0.0.1:\(port)/x allow-special=yes once=yes\n")
        let client = try Client(daemon.socket)
        #expect(client.ask("send start rounds=2").hasPrefix("OK"))
        #expect(daemon.waitFor("an output is given up: tried once"), "\(daemon.output)")
        #expect(server.waitFor("gone"))
    }
}
