import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// A database with the tables of gamed, in which the nodes that a test starts store their journals.
struct ClusterFixture {
    let folder = Folder()
    private let database = PostgresServer.shared.makeDatabase()
    /// The URL of the database, for `--store`.
    var url: String { PostgresServer.shared.url(database) }

    init() throws {
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
        folder.write("secret", "0123456789abcdef0123456789abcdef\n", mode: 0o600)
    }

    /// A line of configuration. With it the state `help` lasts an hour, and does not time out while nodes restart slowly.
    static let longHelp = "set game help=1h\n"

    /// Starts a node with `longHelp` and these lines of configuration, and waits until it listens. The nodes prove themselves by
    /// a secret, or by certificates if `hasCertificate` is true: then the name is `a`, `b` or `c`.
    func startNode(
        _ name: String, _ configurationLines: String = "", _ arguments: [String] = [],
        hasCertificate: Bool = false
    ) throws -> DaemonProcess {
        let address = "127.0.0.1:\(LoopbackPort.findUnused())"
        let path = folder.write("\(name).conf", Self.longHelp + configurationLines)
        return try DaemonProcess(
            [
                "--store", url, "--node", name, "--listen", address, "--advertise", address,
                "--no-main", "--config", path,
            ] + proof(of: name, hasCertificate) + arguments, until: "listens at")
    }

    /// The options by which a node proves that it is one.
    private func proof(of name: String, _ hasCertificate: Bool) -> [String] {
        guard hasCertificate else { return ["--node-secret-file", "\(folder.path)/secret"] }
        TestCertificates.ofNodes.write(to: folder)
        return [
            ("--tls-cert", "server.pem"), ("--tls-key", "server.key"), ("--node-ca", "nodes.pem"),
            ("--node-cert", "\(name).pem"), ("--node-key", "\(name).key"),
        ].flatMap { [$0, "\(folder.path)/\($1)"] }
    }

    /// Executes SQL in the database, and returns the rows.
    @discardableResult func sql(_ statements: String) -> String {
        PostgresServer.shared.sql(statements, in: database)
    }

    /// The identity of the process whose `--advertise` is the address, which only the database has.
    func identity(ofNodeAt address: String) -> String {
        sql("SELECT id FROM gamed_node WHERE address = '\(address)'")
    }

    /// Waits until the nodes own all shards, and their numbers of shards differ by at most one.
    func waitForBalancedShards(of nodes: [DaemonProcess]) throws {
        try ClusterTests.waitForBalancedShards(nodes[0], nodeCount: nodes.count)
    }

    /// Starts a relay, and writes the relay's address into the database as the address of the node `b`. So other nodes connect to
    /// the node through the relay. Waits until the node of the client knows the address.
    func putRelay(before b: DaemonProcess, knownTo client: borrowing Client) throws -> ChildProcess
    {
        let target = b.tcpAddress.split(separator: ":").last ?? ""
        let relay = try ChildProcess(
            [
                "/usr/bin/python3",
                "\(ChildProcess.repositoryRoot)/Tests/gamedTests/Clients/relay.py", "\(target)",
            ], connecting: [0, 2])
        #expect(relay.waitFor("."))
        let port = relay.output.filter(\.isNumber)
        PostgresServer.shared.sql(
            "UPDATE gamed_node SET address = '127.0.0.1:\(port)' WHERE name = 'b'", in: database)
        let nodes = client.ask("nodes", until: ":\(port)\"")
        #expect(nodes.contains(":\(port)\""), "\(nodes)")
        return relay
    }

    /// Makes a relay of `putRelay` cut or stall its connections: `disturbance` is `cut` or `stall`.
    func disturb(_ relay: ChildProcess, _ disturbance: String) {
        relay.writeLine(disturbance)
        #expect(relay.waitFor(disturbance))
        #expect(
            !relay.output.contains("\(disturbance) 0 "),
            "the nodes are not connected through the relay")
    }

    /// Starts the MQTT broker mosquitto at a port of the loopback interface.
    func startBroker(_ port: Int) throws -> ChildProcess {
        try ChildProcess.startMosquitto("-p", "\(port)")
    }
}
