import Connections
import Glibc
import Parts
import PostgresTestSupport
import TestSupport
import Testing

@testable import Cluster
@testable import GamedServer

/// The log lines about shards that a node took, lost and handed over.
@Suite struct ShardLogTests {
    @Test func `all moves of a second are in one line for each kind`() {
        var log = ShardLog()
        #expect(log.takeLines(owned: 0).isEmpty)
        for shard in 0..<200 { log.gained(wasReleased: shard < 128) }
        for _ in 0..<3 { log.lost(wasDraining: true) }
        log.lost(wasDraining: false)
        let lines = log.takeLines(owned: 196)
        #expect(
            lines.map(\.text) == [
                "lost the leases of 1 shard; this node has 196 shards now",
                "took over 72 shards whose owners' leases had ended; this node has 196 shards now",
                "took 128 shards without an owner; this node has 196 shards now",
                "handed over 3 shards; this node has 196 shards now",
            ])
        #expect(lines.map(\.level) == [.warning, .warning, .info, .info])
        #expect(lines.map(\.kind) == [.lease, .shard, .shard, .shard])
        // Each move is reported once.
        #expect(log.takeLines(owned: 196).isEmpty)
        log.gained(wasReleased: false)
        #expect(
            log.takeLines(owned: 1).map(\.text) == [
                "took over 1 shard whose owner's lease had ended; this node has 1 shard now"
            ])
    }
}

/// What a running node says about its shards and about the safety of its database. Each test has a server of its own.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct StoreSafetyTests {
    @Test func `a takeover after kill -9 is in the log of the other node`() throws {
        let fixture = try ClusterFixture()
        let a = try fixture.startNode("a")
        #expect(a.waitFor(" without an owner; this node has 256 shards now"))
        let b = try fixture.startNode("b")
        try fixture.waitForBalancedShards(of: [a, b])
        #expect(a.waitFor("handed over "))
        b.signal(SIGKILL)
        b.waitForEnd()
        // The shards of the other node can come in several seconds, each with a line of its own. The last one can also be a
        // shard that this node had handed over and the other node had not yet taken: it then is "without an owner".
        #expect(a.waitFor("; this node has 256 shards now", times: 2))
        let lines = a.output.split(separator: "\n").filter {
            $0.contains("took over ") && $0.contains("whose owner")
        }
        #expect((1..<64).contains(lines.count), "one line for each shard: \(a.output)")
    }

    @Test func `a database that becomes unsafe is warned of, and refused only at a start`() throws {
        let (server, folder) = (PostgresServer(), Folder())
        let url = server.url(server.makeDatabase())
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
        let file = folder.write("gamed.conf", "http 127.0.0.1:0\n")
        let daemon = try DaemonProcess(["--store", url, "--config", file])
        let client = try Client(daemon.socket)
        #expect(client.ask("send displayHelp").hasPrefix("OK"))
        #expect(client.ask("nodes").contains(#""weak":[]"#))
        server.sql("ALTER SYSTEM SET synchronous_commit = 'off'")
        server.stop()
        server.start()
        // The node connects to the server again, and continues.
        #expect(client.ask("send dismissHelp").hasPrefix("OK"))
        #expect(
            daemon.waitFor("THE DATABASE MAY LOSE ACKNOWLEDGED CHANGES: synchronous_commit is off"))
        #expect(client.ask("nodes").contains(#""weak":["synchronous_commit is off"]"#))
        // Alerts are looked at once a second.
        var metrics = ""
        for _ in 0..<1000 where !metrics.contains("gamed_alerts{") {
            metrics = ShellCommand.run("curl -sS -m 60 $WEB/metrics; sleep 0.1", daemon)
        }
        #expect(metrics.contains("gamed_alerts{kind=\"storage\"} 1\n"), "\(metrics)")
        let nodes = ShellCommand.run("gamectl --socket $S nodes", daemon)
        #expect(
            nodes.contains("the database may lose acknowledged changes: synchronous_commit is off"))
        let secondDaemon = try DaemonProcess(["--store", url])
        #expect(secondDaemon.waitForEnd() == 1)
        #expect(secondDaemon.output.contains("--accept-weak-store uses it nevertheless"))
        folder.write("gamed.conf", "http 127.0.0.1:0\naccept-weak-store\n")
        #expect(
            ShellCommand.run("gamectl --socket $S reload", daemon) == "changed: accept-weak-store\n"
        )
    }
}
