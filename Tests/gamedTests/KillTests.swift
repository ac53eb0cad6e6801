import Glibc
import TestSupport
import Testing

/// Runs `Clients/kills`, which kills the daemon under load and checks its journal.
@Suite(.serialized) struct KillTests {
    /// Runs `Clients/kills`, and returns its exit status and output. The daemons use a temporary directory in the build
    /// directory, which is on a disk; `/tmp` may be in memory.
    private func runKills(_ options: String) -> (status: Int32, output: String) {
        let root = RepositoryFile.root
        let buildDirectory = DaemonProcess.programDirectory
        let script = "Tests/gamedTests/Clients/kills"
        let command = """
            exec 2>&1; cd '\(root)'; d=$(mktemp -d -p '\(buildDirectory)' kills-XXXXXX) || exit 9
            .venv/bin/python \(script) '\(buildDirectory)/gamed' --within "$d" \(options); status=$?
            rm -r "$d"; exit $status
            """
        guard let pipe = popen(command, "r") else { return (9, "popen failed") }
        var (text, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 {
            text += chunk[..<count]
        }
        return (pclose(pipe) >> 8, String(decoding: text, as: UTF8.self))
    }

    @Test func `after each kill every acknowledged change is in the journal once and unchanged`() {
        let rounds = TestLength.count(20, long: 60)
        let (status, output) = runKills("--rounds \(rounds) --requests 500")
        #expect(status == 0, "\(output)")
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
        let (status, output) = runKills("--rounds 12 --damage \(damage)")
        #expect(status == 1, "\(output)")
        #expect(output.contains(finding), "\(output)")
    }
}
