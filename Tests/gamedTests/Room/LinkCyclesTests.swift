import GameFlow
import Parts
import RPC
import Room
import ShippedFlows
import TestSupport
import Testing

@testable import GamedServer

/// `on` lines with `send=` that can cause each other.
@Suite struct LinkCyclesTests {
    private let folder = Folder()

    /// The numbers of the lines of each cycle.
    private func cycles(_ lines: String) throws -> [[Int]] {
        let path = folder.write("gamed.conf", lines)
        let file = try #require(try ConfigurationFile.read(path))
        return LinkCycles(file, AnyFlow.shipped()).cycles.map { $0.map(\.number) }
    }

    @Test(arguments: [
        // A hub and two rooms that tell each other.
        (
            """
            on enter=question session=hub send=@b buzz args={"player":"x"}
            on enter=question session=hub send=@c buzz args={"player":"x"}
            on enter=locked session=b send=@hub start args={"rounds":2}
            on enter=locked session=c send=@hub start args={"rounds":2}
            """, [[1, 2, 3, 4]]
        ),
        // A line that sends to its own session.
        ("on enter=question session=a* send=@a1 start args={\"rounds\":1}", [[1]]),
        // A name with a placeholder may be the name of any session.
        ("# a comment\non effect=ask send=@$label.room start args={\"rounds\":1}", [[2]]),
        // `start` leads to `question`, not to `locked`.
        ("on enter=locked session=a send=@a start args={\"rounds\":1}", []),
        // No line is about the other session.
        ("on enter=* session=room-* send=@master start args={\"rounds\":1}", []),
        // A session that is open is not opened again.
        ("on enter=* session=a open=a\non enter=* session=b open=b", []),
        ("", []),
    ])
    func `the lines of each cycle are found`(_ lines: String, _ expected: [[Int]]) throws {
        #expect(try cycles(lines) == expected)
    }

    @Test func `--check notes the lines of a cycle, and does not fail`() throws {
        let path = folder.write(
            "gamed.conf",
            """
            session a flow=quiz
            on enter=question session=a send=@a start args={"rounds":1}

            """)
        let daemon = try DaemonProcess(["--config", path, "--check"])
        #expect(daemon.waitForEnd() == 0)
        #expect(
            daemon.output.contains("gamed.conf:2:1: this line can cause itself without an end"),
            "\(daemon.output)")
    }
}
