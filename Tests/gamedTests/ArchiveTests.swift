import Glibc
import Journal
import SQLiteStore
import Testing

/// The daemon with `--archive`.
@Suite struct ArchiveTests {
    private let folder = StateFolder()
    private let archive = StateFolder()
    private let restored = StateFolder()

    private func start(_ options: [String] = [], clock: String = "virtual") throws
        -> DaemonProcess
    {
        try DaemonProcess(
            [
                "--clock", clock, "--metrics", "127.0.0.1:0", "--state-dir", folder.path,
                "--archive", archive.path,
            ] + options)
    }

    private func ask(_ lines: [String], _ daemon: DaemonProcess) throws -> String {
        let client = try Client(daemon.socket)
        return lines.map { client.ask($0) }.last ?? ""
    }

    private func end(_ daemon: DaemonProcess) {
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
    }

    /// Waits until the archive has every row.
    private func waitUntilComplete(_ daemon: DaemonProcess) -> Bool {
        for _ in 0..<600 {
            let page = ShellCommand.run("curl -sS -m 60 $METRICS/metrics", daemon)
            if page.contains("gamed_archive_lag_seconds 0.0\n") { return true }
            usleep(50_000)
        }
        return false
    }

    @Test func `after the loss of the disk, the archive is played on`() throws {
        let daemon = try start()
        let status = try ask(
            [
                "send startPlaying", "open session=q flow=quiz",
                "send id=k1 chooseEpisode episode=2",
            ],
            daemon)
        #expect(status.hasPrefix("OK"))
        _ = ShellCommand.run("gamectl --socket $S token add desk", daemon)
        #expect(waitUntilComplete(daemon))
        let before = try ask(["status"], daemon)
        // While a daemon writes it, the archive is not read.
        let inUse = ShellCommand.run("gamectl restore \(archive.path) \(restored.path); echo $?")
        #expect(inUse.contains("in use"), "\(inUse)")
        daemon.signal(SIGKILL)
        daemon.waitForEnd()
        _ = ShellCommand.run("rm -rf \(folder.path)")
        let restore = ShellCommand.run("gamectl restore \(archive.path) \(restored.path); echo $?")
        #expect(
            restore.contains("of 2 sessions restored") && restore.hasSuffix("0\n"), "\(restore)")
        let other = try DaemonProcess([
            "--clock", "virtual", "--state-dir", restored.path, "--archive", archive.path,
        ])
        #expect(try ask(["status"], other) == before)
        #expect(ShellCommand.run("gamectl --socket $S token list", other).contains("desk"))
        // The archive goes on.
        #expect(try ask(["send id=k1 chooseEpisode episode=2"], other).contains(#""seq":3"#))
        #expect(try ask(["send chooseLevel level=3"], other).hasPrefix("OK"))
        end(other)
        #expect(try archive.rows == restored.rows)
        #expect(!other.output.contains("was not one of this journal"))
    }

    @Test func `the last rows are archived when the daemon ends`() throws {
        let daemon = try start()
        _ = try ask((0..<200).map { "open session=s\($0) flow=quiz" }, daemon)
        end(daemon)
        #expect(try archive.rows == folder.rows)
        #expect(try archive.rows.count >= 200)
        let check = ShellCommand.run("gamectl journal check \(archive.path); echo $?")
        #expect(check.contains("sound") && check.hasSuffix("0\n"), "\(check)")
    }

    @Test(arguments: ["virtual", "real"])
    func `an archive of another journal is kept, and a new one begins`(_ clock: String) throws {
        let first = try start()
        _ = try ask(["open session=first flow=quiz"], first)
        _ = ShellCommand.run("gamectl --socket $S token add desk", first)
        end(first)
        _ = ShellCommand.run("rm -rf \(folder.path)/*")
        let second = try start(clock: clock)
        _ = try ask(["open session=second flow=quiz"], second)
        #expect(second.waitFor("it is kept in \(archive.path)/earlier-1, and a new one begins"))
        #expect(waitUntilComplete(second))
        end(second)
        #expect(try archive.rows == folder.rows)
        let earlier = ShellCommand.run("gamectl journal export \(archive.path)/earlier-1")
        #expect(earlier.contains("first") && !earlier.contains("second"))
        let check = ShellCommand.run("gamectl journal check \(archive.path)/earlier-1")
        #expect(check.contains("clock     virtual"), "\(check)")
        // It also has its own tokens, and not those of the second journal.
        _ = ShellCommand.run("gamectl restore \(archive.path)/earlier-1 \(restored.path)")
        let third = try DaemonProcess(["--clock", "virtual", "--state-dir", restored.path])
        #expect(ShellCommand.run("gamectl --socket $S token list", third).contains("desk"))
    }

    @Test func `an archive that cannot be written is an alert, and gets the missing rows later`()
        throws
    {
        // A file is in the place of the folder.
        _ = ShellCommand.run("rmdir \(archive.path); echo x > \(archive.path)")
        let daemon = try start()
        #expect(try ask(["open session=q flow=quiz"], daemon).hasPrefix("OK"))
        #expect(daemon.waitFor("the archive in \(archive.path) cannot be written: "))
        let alerts = ShellCommand.run(
            "for i in $(seq 100); do gamectl --socket $S alerts | grep -q 'New changes are only in the journal' && echo found && break; sleep 0.1; done",
            daemon)
        #expect(alerts == "found\n")
        _ = ShellCommand.run("rm \(archive.path)")
        #expect(daemon.waitFor("the archive in \(archive.path) is complete again"))
        #expect(
            ShellCommand.run(
                "for i in $(seq 100); do gamectl --socket $S alerts | grep -q 'no alert' && echo none && break; sleep 0.1; done",
                daemon) == "none\n")
        end(daemon)
        #expect(try archive.rows == folder.rows)
    }

    @Test func `rows that are removed from the journal are removed from the archive`() throws {
        let first = try start(["--keep", "1h"])
        _ = try ask(
            [
                "send startPlaying", "send returnHome", "open session=q flow=quiz",
                "close session=q",
            ],
            first)
        #expect(waitUntilComplete(first))
        _ = try ask(["advance 3h", "send startPlaying"], first)
        end(first)
        let all = try archive.rows.count
        // The archive compares itself with the journal once an hour, and at its start.
        let second = try start(["--keep", "1h"])
        #expect(
            ShellCommand.run(
                "for i in $(seq 100); do gamectl --socket $S journal prune --yes | grep -q '^0 rows' && echo pruned && break; sleep 0.1; done",
                second) == "pruned\n")
        end(second)
        // The comparison that a start begins may need several, because the end does not wait for it.
        for _ in 0..<50 where try archive.rows != folder.rows {
            let next = try start(["--keep", "1h"])
            #expect(waitUntilComplete(next))
            usleep(50_000)
            end(next)
        }
        #expect(try archive.rows == folder.rows)
        #expect(try archive.rows.count < all)
        let check = ShellCommand.run("gamectl journal check \(archive.path); echo $?")
        #expect(check.hasSuffix("0\n"), "\(check)")
    }

    @Test(arguments: [
        ("--archive /tmp/x", "--archive requires --state-dir"),
        ("--state-dir /tmp/x --archive /tmp/x", "--archive is the state directory itself"),
        ("--store postgresql://u@h/d --archive /tmp/x", "--archive requires --state-dir"),
    ])
    func `an archive without a journal of its own is a mistake`(_ words: String, _ error: String) {
        let output = ShellCommand.run("gamed --check --socket /tmp/s \(words); echo $?")
        #expect(output.contains(error) && output.hasSuffix("2\n"), "\(output)")
    }
}
