import TestSupport
import Testing

/// Runs `Clients/kills`, which kills the daemon under load and checks its journal.
@Suite(.serialized) struct KillTests {
    /// Runs `Clients/kills`, and returns its output with its exit status at the end. The daemons use a temporary directory in the
    /// build directory, which is on a disk; `/tmp` may be in memory.
    private func runKills(_ options: String) -> String {
        let buildDirectory = DaemonProcess.programDirectory
        return ShellCommand.run(
            """
            d=$(mktemp -d -p '\(buildDirectory)' kills-XXXXXX) || exit
            .venv/bin/python Tests/gamedTests/Clients/kills '\(buildDirectory)/gamed' --within "$d" \(options)
            echo "status $?"; rm -r "$d"
            """, timeout: 800)
    }

    @Test func `after each kill every acknowledged change is in the journal once and unchanged`() {
        let rounds = TestLength.count(20, long: 60)
        let output = runKills("--rounds \(rounds) --requests 500")
        #expect(output.hasSuffix("\nstatus 0\n"), "\(output)")
        #expect(output.contains("\(rounds) rounds"), "\(output)")
    }

    /// After a kill, the script damages the journal in one of the ways of `Clients/kills/damage.py`. It removes or changes
    /// rows, or replaces the journal by an older copy. Then the script checks the journal. With the prefix `checked-`, the
    /// script checks the journal before it damages it. In this case, only the messages of the restarted daemon show the damage.
    @Test(arguments: [
        ("rows", "a change was sent that is not in the journal"),
        ("body", "a change was sent that differs from the journal"),
        ("repeated-id", "two rows have the id"),
        ("older", "a change was sent that is not in the journal"),
        ("checked-rows", "VIOLATION"), ("checked-older", "VIOLATION"),
    ])
    func `a journal that was damaged between two starts is detected`(
        _ damage: String, _ finding: String
    ) {
        let output = runKills("--rounds 12 --damage \(damage)")
        #expect(output.hasSuffix("\nstatus 1\n"), "\(output)")
        #expect(output.contains(finding), "\(output)")
    }
}
