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

    /// Starts a node with `longHelp` and these lines of configuration, and waits until it listens.
    func startNode(
        _ name: String, _ configurationLines: String = "", _ arguments: [String] = []
    ) throws -> DaemonProcess {
        let address = "127.0.0.1:\(LoopbackPort.findUnused())"
        let path = folder.write("\(name).conf", Self.longHelp + configurationLines)
        return try DaemonProcess(
            [
                "--store", url, "--node", name, "--listen", address, "--advertise", address,
                "--node-secret-file", "\(folder.path)/secret", "--no-main", "--config", path,
            ] + arguments, until: "listens at")
    }

    /// Waits until the nodes own all shards, and their numbers of shards differ by at most one.
    func waitForBalancedShards(of nodes: [DaemonProcess]) throws {
        try ClusterTests.waitForBalancedShards(nodes[0], nodeCount: nodes.count)
    }

    /// Starts the MQTT broker mosquitto at a port of the loopback interface.
    func startBroker(_ port: Int) throws -> ChildProcess {
        try ChildProcess.startMosquitto("-p", "\(port)")
    }
}
