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

        /// The count with this name. As a control, the script also inserts errors into a copy of a history. The counts of those
        /// errors have the same names, but are in the object `controls`, which is skipped here.
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
        // These errors must not occur:
        // - changes that were lost or doubled
        // - timers that fired early, or after their state was left
        // - nodes that ended with an error
        for error in ["lost", "doubled", "early", "left", "badEnds"] {
            #expect(counts[error] == 0, "\(error): \(counts.json)")
        }
        return counts
    }

    @Test func `a rolling upgrade loses no change, and each request is answered within 7 s`() throws
    {
        let counts = try play("--upgrades 2")
        #expect((counts["longestMs"] ?? .max) < 7000, "\(counts.json)")
    }

    @Test
    func
        `while connections between nodes are cut or stalled, watchers get each change exactly once`()
        throws
    {
        let counts = try play("--partitions 12")
        // The client that watches all sessions got no gap, and was notified once of each change.
        #expect(
            counts["gaps"] == 0 && counts["unseen"] == 0 && counts["seenTwice"] == 0,
            "\(counts.json)")
    }
}
