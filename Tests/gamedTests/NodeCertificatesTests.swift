import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// Nodes that prove themselves by certificates, which openssl has made.
@Suite(.enabled(if: PostgresServer.absence == nil), .serialized) struct NodeCertificatesTests {
    private let server = PostgresServer.shared
    private let database = PostgresServer.shared.makeDatabase()
    private let folder = Folder()
    private var url: String { server.url(database) }

    init() throws {
        let made = ShellCommand.run("Tests/gamedTests/Clients/node-certificates '\(folder.path)'")
        #expect(made.isEmpty, "\(made)")
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
    }

    private func file(_ name: String) -> String { "\(folder.path)/\(name)" }

    private func node(
        _ name: String, authority: String = "nodes", certificate: String? = nil,
        _ arguments: [String] = []
    ) throws -> DaemonProcess {
        let address = "127.0.0.1:\(ClusterTests.freePort())"
        let certificate = certificate ?? name
        return try DaemonProcess(
            [
                "--store", url, "--node", name, "--listen", address, "--advertise", address,
                "--tls-cert", file("server.pem"), "--tls-key", file("server.key"),
                "--tls-client-ca", file("clients.pem"), "--node-ca", file("\(authority).pem"),
                "--node-cert", file("\(certificate).pem"), "--node-key", file("\(certificate).key"),
                "--no-main",
            ] + arguments)
    }

    /// Connects with `openssl s_client`, sends lines, and waits for an answer or the end of the connection. Returns its
    /// output.
    private func connect(
        _ daemon: DaemonProcess, _ options: String, _ lines: String = #"ping\n"#,
        forSeconds seconds: Int = 60
    ) -> String {
        ShellCommand.run(
            """
            cd '\(folder.path)'; touch out; (printf '\(lines)'
            for i in $(seq \(seconds * 50)); do grep -qE '"ready"|^ERR|^OK|^ended' out && break; sleep 0.02; done) |
            { openssl s_client -connect $LINES \(options) -no_ign_eof; echo ended; } >out 2>&1
            cat out; rm out
            """, daemon)
    }

    @Test func `nodes with certificates of their authority answer for each other`() throws {
        let (a, b) = (try node("a"), try node("b"))
        try ClusterTests.waitForShares(a)
        let clients = [try Client(a.socket), try Client(b.socket)]
        for name in (1...16).map({ "s\($0)" }) {
            #expect(clients[0].ask("open @\(name)").contains(#""session":"\#(name)""#))
            #expect(clients[1].ask("send @\(name) displayHelp").contains(#""seq":2"#))
        }
        // A line that is longer than a TLS record.
        let words = String(repeating: "long ", count: 6000)
        let lines = (1...4).map { number in
            clients[number % 2].ask("send @s\(number) displayHelp text=\"\(words)\"")
        }
        #expect(lines.allSatisfy { $0.hasPrefix("ERR") }, "\(lines)")
        #expect(!a.output.contains("not accept") && !b.output.contains("not accept"))
    }

    @Test func `a client is shown the certificate for clients, and a node that of the node`()
        throws
    {
        let daemon = try node("a")
        #expect(connect(daemon, "-CAfile clients.pem").contains("CN = server"))
        let shown = connect(
            daemon, "-alpn gamed-node -cert b.pem -key b.key -CAfile nodes.pem")
        #expect(shown.contains("CN = a") && shown.contains(#"!{"ready":true}"#), "\(shown)")
    }

    @Test(arguments: [
        ("", "it shows no certificate"),
        ("-cert anna.pem -key anna.key", "unable to get local issuer certificate"),
        ("-cert stranger.pem -key stranger.key", "unable to get local issuer certificate"),
        ("-cert expired.pem -key expired.key", "certificate has expired"),
        ("-tls1_2 -cert anna.pem -key anna.key", "unable to get local issuer certificate"),
    ])
    func `who has no valid certificate of the nodes' authority does not become a node`(
        _ options: String, _ reason: String
    ) throws {
        let daemon = try node("a")
        let shown = connect(daemon, "-alpn gamed-node \(options)")
        #expect(!shown.contains("ready"), "\(shown)")
        #expect(daemon.waitFor("not accepted as a node"))
        #expect(daemon.output.contains(reason), "\(daemon.output)")
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `a TLS session of a client is not continued as that of a node`(_ version: String) throws {
        let daemon = try node("a")
        let first = connect(
            daemon, "\(version) -cert anna.pem -key anna.key -sess_out session", forSeconds: 8)
        #expect(first.contains("CN = server"))
        #expect(!folder.text("session").isEmpty)
        let again = connect(
            daemon, "\(version) -sess_in session -cert anna.pem -key anna.key", forSeconds: 8)
        #expect(again.contains("Reused"), "the control: \(again)")
        let shown = connect(daemon, "\(version) -sess_in session -alpn gamed-node", forSeconds: 4)
        #expect(!shown.contains("ready"), "\(shown)")
        #expect(daemon.waitFor("not accepted as a node"))
    }

    @Test func `an address for HTTP shows no certificate of a node, and accepts none`() throws {
        let daemon = try node("a", ["--http", "127.0.0.1:0"])
        let shown = ShellCommand.run(
            """
            cd '\(folder.path)'; printf 'GET /v1/status HTTP/1.0\r\n\r\n' |
            openssl s_client -connect "${WEB#*://}" -alpn gamed-node -cert b.pem -key b.key -ign_eof 2>&1
            """, daemon)
        #expect(shown.contains("CN = server") && !shown.contains("CN = a"), "\(shown)")
        #expect(!shown.contains("HTTP/1") && shown.contains("alert"), "\(shown)")
    }

    @Test func `a client cannot send what nodes send each other`() throws {
        let daemon = try node("a")
        let frames = #"!{"ready":true}\n!{"hello":"b","nonce":"00"}\n"#
        let shown = connect(daemon, "-cert anna.pem -key anna.key", frames)
        #expect(!shown.contains("ready") && !shown.contains("challenge"), "\(shown)")
        #expect(try Client(daemon.socket).ask("ping") == #"OK {"pong":true}"#)
    }

    @Test func `sessions of a node with a foreign certificate are answered with storage elsewhere`()
        throws
    {
        let hold = ["--hold", "1s"]
        let a = try node("a", hold)
        let b = try node("b", authority: "foreign", certificate: "stranger", hold)
        try ClusterTests.waitForShares(a)
        let clients = [try Client(a.socket), try Client(b.socket)]
        let names = (1...8).map { "s\($0)" }
        let replies = clients.map { client in names.map { client.ask("open @\($0)") } }
        for (one, other) in zip(replies[0], replies[1]) {
            // Each session is opened by its owner, and refused by the other node.
            let storage = [one, other].filter { $0.hasPrefix("ERR storage") }
            #expect(storage.count == 1, "\(one) \(other)")
            #expect([one, other].contains { $0.hasPrefix("OK") })
        }
        #expect(a.waitFor("the certificate is not accepted"))
        #expect(b.waitFor("the certificate is not accepted"))
        for (name, reply) in zip(names, replies[0]) where reply.hasPrefix("OK") {
            #expect(clients[0].ask("status @\(name)").contains(#""seq":1"#))
        }
    }

    @Test(arguments: [
        ("nodes", "expired", "certificate has expired"),
        ("nodes", "stranger", "unable to get local issuer certificate"),
        ("nodes", "half", "unsuitable certificate purpose"), ("a", "none", "No such file"),
    ])
    func `a node whose own certificate others would refuse does not start`(
        _ authority: String, _ certificate: String, _ reason: String
    ) throws {
        let daemon = try node("a", authority: authority, certificate: certificate)
        #expect(daemon.waitForEnd() == 1)
        #expect(
            daemon.output.contains("--node-ca") && daemon.output.contains(reason),
            "\(daemon.output)")
        let check = try node("a", authority: authority, certificate: certificate, ["--check"])
        #expect(check.waitForEnd() == 2)
        #expect(check.output.contains(reason), "\(check.output)")
    }

    @Test(arguments: [
        ("--node-ca x", "--node-ca requires --advertise"),
        (
            "--listen 10.0.0.1:7 --insecure --advertise 10.0.0.1:7 --node-ca x",
            "--node-ca requires --tls-cert"
        ),
        (
            "--tls-cert c --tls-key k --tls-client-ca x --node-ca x",
            "--node-ca and --tls-client-ca must differ"
        ),
        ("--node-cert x", "--node-cert and --node-key require each other"),
        ("--node-cert x --node-key y", "--node-cert and --node-key require --node-ca"),
        ("--node-ca x --node-secret-file y", "--node-ca and --node-secret-file exclude each other"),
        (
            "--listen 127.0.0.1:7 --advertise 127.0.0.1:7 --node-secret-file y --tls-cert c --tls-key k",
            "--node-secret-file does not go with --tls-cert"
        ),
    ])
    func `options that do not let nodes prove themselves are refused`(
        _ options: String, _ reason: String
    ) throws {
        let daemon = try DaemonProcess(
            ["--store", url] + options.split(separator: " ").map(String.init))
        #expect(daemon.waitForEnd() == 2)
        #expect(daemon.output.contains(reason), "\(daemon.output)")
    }
}
