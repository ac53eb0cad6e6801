import Connections
import EventLoop
import Journal
import PostgresTestSupport
import RPC
import Sessions
import Shards
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import GameFlow
@testable import GamedServer

/// When a daemon counts as able to answer.
@Suite struct HealthTests {
    /// A store whose appends are answered when the test says so.
    private final class SlowStore: MemoryStore {
        private var waiting: [([JournalRow], (StoreOutcome) -> Void)] = []

        override func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
            waiting.append((batch, done))
        }

        func answerOldest() {
            let (batch, done) = waiting.removeFirst()
            insert(batch)
            done(.durable)
        }
    }

    private let clock = VirtualClock()
    private let store = SlowStore()
    private let shard: Shard
    private let health: Health

    init() throws {
        shard = try ShardFixture(on: LibeventLoop()).shard(0, store, on: clock)
        let shards = OwnShards()
        shards.addOnly(shard)
        health = Health(on: clock, shards, [])
    }

    /// Makes a change, and passes its row to the store.
    private func change(_ name: String) throws {
        _ = try shard.sessions.open(
            #require(SessionName(name)), AnyFlow(Game()), RequestContext(from: .program))
        shard.endTurn()
    }

    @Test func `an append that is not answered for a second makes the daemon unready`() throws {
        try change("a")
        clock.advance(by: .milliseconds(900))
        #expect(health.problem == nil)
        clock.advance(by: .milliseconds(400))
        #expect(health.problem?.why == "the storage has not answered for 1 s")
        store.answerOldest()
        clock.advance(by: .milliseconds(200))
        #expect(health.problem == nil)
        shard.end()
    }

    @Test func `a storage that is slow, but answers, is no problem`() throws {
        try change("a")
        for number in 0..<10 {
            clock.advance(by: .milliseconds(700))
            try change("b\(number)")
            store.answerOldest()
            #expect(health.problem == nil)
        }
        shard.end()
    }

    @Test func `only operators get the reason of the storage, which can name a path`() throws {
        _ = shard.sessions.storageFailed("cannot open /var/lib/gamed/journal.db")
        let problem = try #require(health.problem)
        #expect(
            problem.sentence(isForOperator: false) == "the storage does not work at present")
        #expect(
            problem.sentence(isForOperator: true).hasSuffix("cannot open /var/lib/gamed/journal.db")
        )
        let error = RequestError.storage(why: "cannot open /var/lib/gamed", outcome: .undone)
        #expect(error.shown(to: .everything) == error)
        for rights in [Rights.nothing, Rights([Grant(.play)])] {
            guard case .storage(let why, .undone) = error.shown(to: rights) else {
                Issue.record("another error")
                continue
            }
            #expect(!why.contains("/"))
        }
    }

    @Test func `a full disk shows at readyz without a path, and livez stays ok`() throws {
        let folder = Folder()
        let file = folder.write("gamed.conf", "allow token:desk operate\n")
        let daemon = try DaemonProcess([
            "--config", file, "--http", "127.0.0.1:0", "--state-dir", "\(folder.path)/state",
        ])
        let token = ShellCommand.run("gamectl --socket $S token add desk", daemon)
        func curl(_ words: String) -> String {
            ShellCommand.run("curl -sS -m 120 -w ' %{http_code}' \(words)", daemon)
        }
        for path in ["livez", "readyz", "healthz"] {
            #expect(curl("$WEB/\(path)") == "ok\n 200")
        }
        // The journal cannot grow from here.
        _ = ShellCommand.run("prlimit --pid \(daemon.pid) --fsize=4000:unlimited")
        #expect(try Client(daemon.socket).ask("send startPlaying").hasPrefix("ERR storage"))
        for path in ["readyz", "healthz"] {
            let answer = curl("$WEB/\(path)")
            #expect(answer.hasSuffix(" 503"))
            #expect(answer.contains("the storage does not work at present\""), "\(answer)")
        }
        let detailed = curl("-H 'Authorization: Bearer \(token.dropLast())' $WEB/readyz")
        #expect(detailed.contains("the storage does not work at present: "), "\(detailed)")
        #expect(curl("$WEB/livez") == "ok\n 200")
        #expect(curl("$WEB/metrics").contains("gamed_storage_up 0\n"))
    }
}

/// The health of nodes whose database is away. Each test has a server of its own.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct DatabaseHealthTests {
    @Test func `without the database a node is unready while requests are held`() throws {
        let server = PostgresServer()
        let url = server.url(server.makeDatabase())
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
        let daemon = try DaemonProcess(["--store", url, "--http", "127.0.0.1:0"])
        func curl(_ path: String) -> String {
            ShellCommand.run("curl -sS -m 120 -w ' %{http_code}' $WEB/\(path)", daemon)
        }
        let client = try Client(daemon.socket)
        #expect(client.ask("status").hasPrefix("OK"))
        #expect(curl("readyz") == "ok\n 200")
        #expect(curl("metrics").contains("gamed_shards_missing 0\n"))
        server.stop()
        client.write("send displayHelp\n")
        var answer = ""
        #expect(
            Wait.until {
                answer = curl("readyz")
                return answer.hasSuffix(" 503")
            }, "\(answer)")
        #expect(!answer.contains("/") && !answer.contains("port"), "\(answer)")
        #expect(curl("livez") == "ok\n 200")
        // When the lease has run out, no shard is served.
        var metrics = ""
        #expect(
            Wait.until {
                metrics = curl("metrics")
                return metrics.contains("gamed_shards_missing 256\n")
            }, "\(metrics)")
        #expect(metrics.contains("gamed_lease_remaining_seconds 0.0\n"))
        server.start()
        #expect(
            Wait.until {
                answer = curl("readyz")
                return answer == "ok\n 200"
            }, "\(answer)")
    }
}
