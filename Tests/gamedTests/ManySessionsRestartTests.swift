import Glibc
import Testing

/// A restart with more sessions than are decoded at the start.
@Suite struct ManySessionsRestartTests {
    private static let count = 3000
    private let folder = StateFolder()

    private func start() throws -> DaemonProcess {
        try DaemonProcess([
            "--no-main", "--metrics", "127.0.0.1:0", "--state-dir", folder.path,
        ])
    }

    /// Sends requests without waiting for the answers, and returns the answers that do not begin with `OK`.
    private func refusals(_ client: Client, _ request: (Int) -> String) -> [String] {
        (0..<Self.count / 100).flatMap { page -> [String] in
            let numbers = page * 100..<(page + 1) * 100
            client.write(numbers.map { request($0) + "\n" }.joined())
            return numbers.map { _ in client.line() ?? "" }.filter { !$0.hasPrefix("OK") }
        }
    }

    @Test func `after a kill all sessions are there, whether they were decoded or not`() throws {
        let killed = try start()
        let before = try Client(killed.socket)
        #expect(refusals(before) { "open @room-\($0) flow=game" } == [])
        #expect(refusals(before) { "send @room-\($0) startPlaying" } == [])
        killed.signal(SIGKILL)
        _ = killed.waitForEnd()

        let daemon = try start()
        let client = try Client(daemon.socket)
        // The last session has the newest row, so it was not decoded at the start.
        let last = client.ask("send @room-\(Self.count - 1) startPlaying")
        #expect(last.contains(#""state":"choosingEpisode""#), "\(last)")
        #expect(client.ask("open @room-2500 flow=game").hasPrefix("ERR exists"))
        let refused = refusals(client) { "send @room-\($0) startPlaying" }
        #expect(refused.count == Self.count)
        #expect(refused.allSatisfy { $0.contains(#""state":"choosingEpisode""#) })
        let found = MetricSamples(of: daemon)
        #expect(found["gamed_sessions_unread"] == 0, "\(found.text)")
        #expect(found.sum("gamed_sessions") == Double(Self.count), "\(found.text)")
    }
}
