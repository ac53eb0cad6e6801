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
        let secret = folder.write("secret", "0123456789abcdef0123456789abcdef\n")
        _ = PostgresServer.shell("chmod 600 '\(secret)'")
    }

    /// Starts a node, which reads `lines` as its configuration.
    func node(_ name: String, _ lines: String, _ arguments: [String] = []) throws -> DaemonProcess {
        let port = PostgresServer.shell(
            "python3 -c 'import socket; s = socket.socket(); s.bind((\"127.0.0.1\", 0)); print(s.getsockname()[1])'"
        ).prefix(while: \.isNumber)
        let address = "127.0.0.1:\(port)"
        let path = folder.write("\(name).conf", lines)
        return try DaemonProcess(
            [
                "--store", url, "--node", name, "--listen", address, "--advertise", address,
                "--node-secret-file", "\(folder.path)/secret", "--no-main", "--config", path,
            ] + arguments, until: "listens at")
    }

    /// Waits until the nodes own all shards, in shares that differ by at most one.
    func waitForShares(of nodes: [DaemonProcess]) throws {
        let client = try Client(nodes[0].socket)
        let share = 256 / nodes.count
        var said = ""
        for _ in 0..<100_000 {
            said = client.ask("nodes")
            let shares = [share, share + 1].map {
                said.ranges(of: "\"shards\":\($0),\"lease").count
            }
            if shares.reduce(0, +) == nodes.count, said.contains(#""missing":0"#) { return }
        }
        Issue.record("the shares are not equal: \(said)")
    }

    func broker(_ port: Int) throws -> ChildProcess {
        let broker = try ChildProcess(["/usr/sbin/mosquitto", "-p", "\(port)"], [], talksBy: [2])
        #expect(broker.waitFor("running"))
        return broker
    }
}
