import Glibc
import TestSupport
import Testing

/// What the log of a running daemon says about slow commits, slow turns and late timers.
@Suite struct SlowWorkLogTests {
    private let folder = Folder()

    private func line(_ kind: String, _ daemon: DaemonProcess) -> String {
        daemon.output.split(separator: "\n").first { $0.contains(#""kind":"\#(kind)""#) }
            .map { String($0) } ?? ""
    }

    @Test func `a commit to a slow disk is logged with its rows and its time`() throws {
        let output = ShellCommand.run(
            """
            compiler=$(command -v clang || echo "$(dirname "$(readlink -f "$(command -v swift)")")/clang")
            "$compiler" -shared -fPIC -O1 -o '\(folder.path)/disk.so' Tests/gamedTests/Clients/slow_disk.c
            """)
        #expect(output == "")
        let daemon = try DaemonProcess(
            ["--log-format", "json", "--state-dir", "\(folder.path)/state"],
            environment: ["LD_PRELOAD=\(folder.path)/disk.so", "DISK_DELAY_MS=150"])
        #expect(try Client(daemon.socket).ask("send displayHelp").hasPrefix("OK"))
        #expect(daemon.waitFor(#""kind":"slow-commit""#), "\(daemon.output)")
        let line = line("slow-commit", daemon)
        #expect(
            line.contains(
                #/"level":"warning","kind":"slow-commit","message":"\d+ rows? took \d{3,} ms to become durable; replies waited meanwhile","file":/#
            ), "\(line)")
    }

    /// The daemon waits for the writer of its configuration, which is a FIFO, each time that it reads it.
    @Test func `a turn that waits for a file is logged with its time`() throws {
        let file = folder.write("gamed.conf", "log-format json\n")
        let daemon = try DaemonProcess(["--config", file])
        let output = ShellCommand.run(
            """
            rm '\(file)'; mkfifo '\(file)'
            { while sleep 0.3; do echo 'log-format json' >'\(file)'; done; } >/dev/null 2>&1 &
            gamectl --socket $S reload; kill $!
            """, daemon)
        #expect(daemon.waitFor(#""kind":"slow-turn""#), "\(output)\(daemon.output)")
        let line = line("slow-turn", daemon)
        #expect(
            line.contains(
                #/"level":"warning","kind":"slow-turn","message":"a turn of the event loop took \d{3,} ms; events and timers waited meanwhile","file":/#
            ), "\(line)")
    }

    /// The process stands still while a timer is due. Both timers are counted together, and the 1st and the 2nd are logged.
    @Test func `a late timer is logged with its session, and without a name that the flow hides`()
        throws
    {
        folder.write(
            "door.yaml",
            """
            flow: door
            start: shut
            states:
              shut:
                timers:
                  bell: {after: 1h}
                  ambush: {after: 1h, hidden: players}
                on: {bell: stay, ambush: stay}

            """)
        let daemon = try DaemonProcess([
            "--flows", folder.path, "--flow", "door", "--log-format", "json", "--tokens",
            "\(folder.path)/tokens",
        ])
        let client = try Client(daemon.socket)
        for (number, timer) in ["bell", "ambush"].enumerated() {
            let name = "attempt-\(number)"
            // If the daemon was stopped only after the timer, the next attempt counts.
            let isLogged = (0..<10).contains { attempt in
                _ = client.ask("timer \(timer) set to=300ms")
                daemon.signal(SIGSTOP)
                usleep(700_000)
                daemon.signal(SIGCONT)
                // What was logged before this line has been read then, too.
                _ = client.ask("token action=add name=\(name)-\(attempt)")
                _ = daemon.waitFor("token \(name)-\(attempt) created")
                return daemon.output.matches(of: /"kind":"late-timer"/).count == number + 1
            }
            #expect(isLogged, "\(daemon.output)")
        }
        let late = daemon.output.split(separator: "\n")
            .filter { $0.contains(#""kind":"late-timer""#) }
        #expect(late.count == 2)
        #expect(
            late.first?.contains(
                #/"level":"warning","kind":"late-timer","message":"session main: a timer \(bell\) fired \d{3,} ms late","session":"main","flow":"door","event":"bell","file":/#
            ) == true, "\(late)")
        #expect(
            late.last?.contains(
                #/"message":"session main: a timer fired \d{3,} ms late(; 2 times so far)?","session":"main","flow":"door","file":/#
            ) == true, "\(late)")
        #expect(!daemon.output.contains("ambush"), "\(daemon.output)")
    }
}
