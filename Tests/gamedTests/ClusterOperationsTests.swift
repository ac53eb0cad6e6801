import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// What operators do with several nodes, and cuts between them, under the load of clients that count lost changes.
@Suite(
    .enabled(if: PostgresServer.absence == nil && TestLength.isLong), .serialized)
struct ClusterOperationsTests {
    /// What the clients counted.
    private struct Counts {
        let text: String

        /// A count of the run itself; the counts of the planted faults have the same names.
        subscript(_ name: String) -> Int? {
            var text = text
            if let start = text.firstRange(of: "\"controls\": {"),
                let end = text[start.upperBound...].firstRange(of: "}")
            {
                text.removeSubrange(start.lowerBound..<end.upperBound)
            }
            guard let found = text.firstRange(of: "\"\(name)\": ") else { return nil }
            return Int(text[found.upperBound...].prefix { $0.isNumber })
        }
    }

    private let server = PostgresServer.shared
    private let folder = Folder()

    /// Plays with three nodes while faults happen.
    private func play(_ faults: String) throws -> Counts {
        let url = server.url(server.makeDatabase())
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
        let counts = Counts(
            text: PostgresServer.shell(
                "python3 Tests/gamedTests/Clients/cluster.py '\(DaemonProcess.directory)/gamed' "
                    + "'\(url)' '\(folder.path)' --kills 0 \(faults)"))
        print("\(faults): \(counts.text)")
        #expect((counts["acknowledged"] ?? 0) > 20, "\(counts.text)")
        for fault in ["lost", "doubled", "early", "left", "badEnds"] {
            #expect(counts[fault] == 0, "\(fault): \(counts.text)")
        }
        return counts
    }

    @Test func `a rolling upgrade loses nothing, and no request waits longer than a takeover`()
        throws
    {
        let counts = try play("--upgrades 2")
        #expect((counts["longestMs"] ?? .max) < 7000, "\(counts.text)")
    }

    @Test
    func
        `cut and stalled connections between nodes lose and double nothing, also for those who watch`()
        throws
    {
        let counts = try play("--partitions 12")
        #expect(
            counts["gaps"] == 0 && counts["unseen"] == 0 && counts["seenTwice"] == 0,
            "\(counts.text)")
    }
}
