import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// Rolling upgrades of three nodes, and faults of the connections between them. Meanwhile clients play, and count lost and
/// repeated changes.
@Suite(
    .enabled(if: PostgresServer.absence == nil && TestLength.isLong), .serialized)
struct ClusterOperationsTests {
    /// The counts of the clients, which `cluster.py` prints as JSON.
    private struct Counts {
        let json: String

        /// A count of the run. The object `controls`, which has counts of planted faults under the same names, is skipped.
        subscript(_ name: String) -> Int? {
            var json = json
            if let start = json.firstRange(of: "\"controls\": {"),
                let end = json[start.upperBound...].firstRange(of: "}")
            {
                json.removeSubrange(start.lowerBound..<end.upperBound)
            }
            guard let key = json.firstRange(of: "\"\(name)\": ") else { return nil }
            return Int(json[key.upperBound...].prefix { $0.isNumber })
        }
    }

    private let server = PostgresServer.shared
    private let folder = Folder()

    /// Plays with three nodes while the faults of these options happen, and checks that no change was lost or repeated.
    private func play(_ faultOptions: String) throws -> Counts {
        let url = server.url(server.makeDatabase())
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
        let counts = Counts(
            json: PostgresServer.shell(
                "/usr/bin/python3 Tests/gamedTests/Clients/cluster.py "
                    + "'\(DaemonProcess.programDirectory)/gamed' '\(url)' '\(folder.path)' "
                    + "--kills 0 \(faultOptions)"))
        print("\(faultOptions): \(counts.json)")
        #expect((counts["acknowledged"] ?? 0) > 20, "\(counts.json)")
        for fault in ["lost", "doubled", "early", "left", "badEnds"] {
            #expect(counts[fault] == 0, "\(fault): \(counts.json)")
        }
        return counts
    }

    @Test func `a rolling upgrade loses no change, and no request waits longer than a takeover`()
        throws
    {
        let counts = try play("--upgrades 2")
        #expect((counts["longestMs"] ?? .max) < 7000, "\(counts.json)")
    }

    @Test
    func
        `cut or stalled connections between nodes lose or repeat no change, also for watchers`()
        throws
    {
        let counts = try play("--partitions 12")
        #expect(
            counts["gaps"] == 0 && counts["unseen"] == 0 && counts["seenTwice"] == 0,
            "\(counts.json)")
    }
}
