import Connections
import Glibc
import TestSupport
import Testing

/// Output targets that accept no connection, never answer, or send endless responses do not delay the timers of a session.
@Suite struct BadTargetTests {
    private let folder = Folder()

    @Test func `with bad targets a pendulum misses no beat`() throws {
        let targets = try ChildProcess(
            [
                "\(RepositoryFile.root)/.venv/bin/python",
                "\(RepositoryFile.root)/Tests/gamedTests/Clients/bad_targets.py",
            ], connecting: [2])
        defer { targets.signal(SIGKILL) }
        #expect(targets.waitFor("ready\n"))
        let ports = targets.output.split(whereSeparator: \.isWhitespace).dropFirst().prefix(3)
        // The test never reads from this serial device, and writes noise to the device.
        let tty = try SerialPort(link: "\(folder.path)/tty")
        let program = folder.write("hang", "#!/bin/sh\nexec sleep 1000\n", mode: 0o755)
        let webhookLines = ports.map {
            "on enter=* http=http://127.0.0.1:\($0)/ max-age=1h allow-special=yes\n"
        }.joined()
        let path = folder.write(
            "gamed.conf",
            """
            serial door \(folder.path)/tty
            on enter=* serial=door line="\(String(repeating: "x", count: 900))" max-age=1h
            on enter=* run=\(program) max-age=1h
            \(webhookLines)
            """)
        let daemon = try DaemonProcess([
            "--config", path, "--flow", "game", "--clock", "virtual", "--outputs", "on",
        ])
        #expect(daemon.waitFor("serial door: connected"))
        let client = try Client(daemon.socket)
        // Makes many outputs for each target, so that each target is busy from now on.
        for _ in 0..<100 { #expect(client.ask("goto introduction").hasPrefix("OK")) }
        try #require(client.ask("goto playingLevel episode=1 level=2").hasPrefix("OK"))
        let watcher = try Client(daemon.socket)
        #expect(watcher.ask("watch topics=beats").hasPrefix("OK"))
        let noise = (0..<2000).map { UInt8(truncatingIfNeeded: $0 &* 31) | 0x80 }
        for second in 1...60 {
            tty.write(noise)
            try #require(client.ask("advance 1s").hasPrefix("OK"))
            let beat = watcher.line() ?? ""
            try #require(beat.contains(#""method":"beat""#), "\(beat)")
            #expect(beat.contains(#""missed":0"#), "\(beat)")
            #expect(beat.contains(#""atMs":\#(second * 1000)"#), "\(beat)")
        }
        // The HTTP targets accepted no output, so they were bad targets throughout the test.
        let output = client.ask("outputs")
        let webhookEntries = output.split(separator: "{\"line\":").filter { $0.contains("http=") }
        #expect(
            webhookEntries.count == 3
                && webhookEntries.allSatisfy { $0.contains(#""delivered":0"#) }, "\(output)")
        #expect(output.contains(#""target":"run \#(program)""#), "\(output)")
    }
}
