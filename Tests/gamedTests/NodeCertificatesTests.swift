import Connections
import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// Nodes that authenticate each other with certificates.
@Suite(.enabled(if: PostgresServer.absence == nil), .serialized) struct NodeCertificatesTests {
    private let server = PostgresServer.shared
    private let database = PostgresServer.shared.makeDatabase()
    private let folder = Folder()
    private var url: String { server.url(database) }

    init() throws {
        TestCertificates.ofNodes.write(to: folder)
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
    }

    private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    /// Starts a node that accepts the certificates of an authority. Its own certificate has the node's name by default.
    private func startNode(
        _ name: String, authority: String = "nodes", certificate: String? = nil,
        _ arguments: [String] = []
    ) throws -> DaemonProcess {
        let address = "127.0.0.1:\(LoopbackPort.findUnused())"
        let certificate = certificate ?? name
        return try DaemonProcess(
            [
                "--store", url, "--node", name, "--listen", address, "--advertise", address,
                "--tls-cert", path("server.pem"), "--tls-key", path("server.key"),
                "--tls-client-ca", path("clients.pem"), "--node-ca", path("\(authority).pem"),
                "--node-cert", path("\(certificate).pem"), "--node-key", path("\(certificate).key"),
                "--no-main",
            ] + arguments)
    }

    /// Connects with `openssl s_client` to the daemon's address for lines (`$LINES`), sends lines, and waits at most `seconds`
    /// for an answer or the end of the connection. Returns the output of openssl.
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
        let (a, b) = (try startNode("a"), try startNode("b"))
        try ClusterTests.waitForBalancedShards(a)
        let clients = [try Client(a.socket), try Client(b.socket)]
        for name in (1...16).map({ "s\($0)" }) {
            #expect(clients[0].ask("open @\(name)").contains(#""session":"\#(name)""#))
            #expect(clients[1].ask("send @\(name) displayHelp").contains(#""seq":2"#))
        }
        // Each line is longer than a TLS record. The answer is an error, because the event has no parameter `text`.
        let longText = String(repeating: "long ", count: 6000)
        let answers = (1...4).map { number in
            clients[number % 2].ask("send @s\(number) displayHelp text=\"\(longText)\"")
        }
        #expect(answers.allSatisfy { $0.hasPrefix("ERR") }, "\(answers)")
        #expect(!a.output.contains("not accept") && !b.output.contains("not accept"))
    }

    @Test
    func `the daemon shows clients the server's certificate, and other nodes its node certificate`()
        throws
    {
        let daemon = try startNode("a")
        #expect(connect(daemon, "-CAfile clients.pem").contains("CN = server"))
        let output = connect(
            daemon, "-alpn gamed-node -cert b.pem -key b.key -CAfile nodes.pem")
        #expect(output.contains("CN = a") && output.contains(#"!{"ready":true}"#), "\(output)")
    }

    @Test(arguments: [
        ("", "it shows no certificate"),
        ("-cert anna.pem -key anna.key", "unable to get local issuer certificate"),
        ("-cert stranger.pem -key stranger.key", "unable to get local issuer certificate"),
        ("-cert expired.pem -key expired.key", "certificate has expired"),
        ("-tls1_2 -cert anna.pem -key anna.key", "unable to get local issuer certificate"),
    ])
    func `a peer without a valid certificate of the nodes' authority is not accepted as a node`(
        _ options: String, _ reason: String
    ) throws {
        let daemon = try startNode("a")
        let output = connect(daemon, "-alpn gamed-node \(options)")
        #expect(!output.contains("ready"), "\(output)")
        #expect(daemon.waitFor("not accepted as a node"))
        #expect(daemon.output.contains(reason), "\(daemon.output)")
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `a client's TLS session cannot be resumed as a node's session`(_ version: String) throws {
        let daemon = try startNode("a")
        let clientOutput = connect(
            daemon, "\(version) -cert anna.pem -key anna.key -sess_out session", forSeconds: 8)
        #expect(clientOutput.contains("CN = server"))
        #expect(!folder.text("session").isEmpty)
        let resumedOutput = connect(
            daemon, "\(version) -sess_in session -cert anna.pem -key anna.key", forSeconds: 8)
        // A client can resume the session, so the session is valid. If it is refused below, this has another cause.
        #expect(resumedOutput.contains("Reused"), "\(resumedOutput)")
        let output = connect(daemon, "\(version) -sess_in session -alpn gamed-node", forSeconds: 4)
        #expect(!output.contains("ready"), "\(output)")
        #expect(daemon.waitFor("not accepted as a node"))
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `an address for HTTP neither shows nor accepts a node's certificate`(_ version: String)
        throws
    {
        let daemon = try startNode("a", ["--http", "127.0.0.1:0"])
        let output = ShellCommand.run(
            """
            cd '\(folder.path)'; printf 'GET /v1/status HTTP/1.0\r\n\r\n' |
            openssl s_client -connect "${WEB#*://}" \(version) -alpn gamed-node -cert b.pem -key b.key \
                -ign_eof 2>&1
            """, daemon)
        #expect(output.contains("CN = server") && !output.contains("CN = a"), "\(output)")
        #expect(!output.contains("HTTP/1"), "\(output)")
        // With TLS 1.3 the client sends its request before the daemon has seen its certificate. The daemon does not read the
        // request, so the system may reset the connection before the client has read the alert.
        if version == "-tls1_2" { #expect(output.contains("alert"), "\(output)") }
    }

    @Test func `a client cannot send the frames that nodes exchange`() throws {
        let daemon = try startNode("a")
        let frames = #"!{"ready":true}\n!{"hello":"b","nonce":"00"}\n"#
        let output = connect(daemon, "-cert anna.pem -key anna.key", frames)
        #expect(!output.contains("ready") && !output.contains("challenge"), "\(output)")
        #expect(try Client(daemon.socket).ask("ping") == #"OK {"pong":true}"#)
    }

    @Test func `the sessions of a node with a foreign certificate are unavailable on other nodes`()
        throws
    {
        let holdOption = ["--hold", "1s"]
        let a = try startNode("a", holdOption)
        let b = try startNode("b", authority: "foreign", certificate: "stranger", holdOption)
        try ClusterTests.waitForBalancedShards(a)
        let clients = [try Client(a.socket), try Client(b.socket)]
        let sessions = (1...8).map { "s\($0)" }
        let replies = clients.map { client in sessions.map { client.ask("open @\($0)") } }
        for (replyOfA, replyOfB) in zip(replies[0], replies[1]) {
            // The owner opens the session. The other node cannot reach the owner, and answers with the error `storage`.
            let storageErrors = [replyOfA, replyOfB].filter { $0.hasPrefix("ERR storage") }
            #expect(storageErrors.count == 1, "\(replyOfA) \(replyOfB)")
            #expect([replyOfA, replyOfB].contains { $0.hasPrefix("OK") })
        }
        #expect(a.waitFor("the certificate is not accepted"))
        #expect(b.waitFor("the certificate is not accepted"))
        for (name, reply) in zip(sessions, replies[0]) where reply.hasPrefix("OK") {
            #expect(clients[0].ask("status @\(name)").contains(#""seq":1"#))
        }
    }

    @Test(arguments: [
        ("nodes", "expired", "certificate has expired"),
        ("nodes", "stranger", "unable to get local issuer certificate"),
        ("nodes", "half", "unsuitable certificate purpose"), ("a", "none", "No such file"),
    ])
    func `a node does not start with a certificate that other nodes would refuse`(
        _ authority: String, _ certificate: String, _ reason: String
    ) throws {
        let daemon = try startNode("a", authority: authority, certificate: certificate)
        #expect(daemon.waitForEnd() == 1)
        #expect(
            daemon.output.contains("--node-ca") && daemon.output.contains(reason),
            "\(daemon.output)")
        let checkingDaemon = try startNode(
            "a", authority: authority, certificate: certificate, ["--check"])
        #expect(checkingDaemon.waitForEnd() == 2)
        #expect(checkingDaemon.output.contains(reason), "\(checkingDaemon.output)")
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
    func `incomplete or contradictory options for the authentication of nodes are refused`(
        _ options: String, _ reason: String
    ) throws {
        let daemon = try DaemonProcess(
            ["--store", url] + options.split(separator: " ").map(String.init))
        #expect(daemon.waitForEnd() == 2)
        #expect(daemon.output.contains(reason), "\(daemon.output)")
    }
}
