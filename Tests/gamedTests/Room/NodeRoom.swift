import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// Nodes with a database of their own, each with the lines of a room.
struct NodeRoom {
    let folder = Folder()
    private let database = PostgresServer.shared.makeDatabase()
    var url: String { PostgresServer.shared.url(database) }

    init() throws {
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
        folder.write("secret", "0123456789abcdef0123456789abcdef\n", mode: 0o600)
    }

    /// Starts a node, which reads `lines` as its configuration.
    func node(_ name: String, _ lines: String, _ arguments: [String] = []) throws -> DaemonProcess {
        let address = "127.0.0.1:\(ClusterTests.freePort())"
        let path = folder.write("\(name).conf", lines)
        return try DaemonProcess(
            [
                "--store", url, "--node", name, "--listen", address, "--advertise", address,
                "--node-secret-file", "\(folder.path)/secret", "--no-main", "--config", path,
            ] + arguments, until: "listens at")
    }

    /// Waits until the nodes own all shards, in shares that differ by at most one.
    func waitForShares(of nodes: [DaemonProcess]) throws {
        try ClusterTests.waitForShares(nodes[0], of: nodes.count)
    }

    func broker(_ port: Int) throws -> ChildProcess {
        let broker = try ChildProcess(
            ["/usr/sbin/mosquitto", "-p", "\(port)"], [], connecting: [2])
        #expect(broker.waitFor("running"))
        return broker
    }
}
