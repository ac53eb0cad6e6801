import TestSupport
import Testing

/// The comparison with other programs, `make bench-peers`. Programs that are not installed are not compared.
@Suite(.enabled(if: TestLength.isLong)) struct PeersTests {
    private let folder = Folder()

    @Test func `every comparison with another program runs, with tiny counts`() {
        let output = ShellCommand.run(
            """
            p=../.venv-peers/bin/python; cd Benchmarks; [ -x $p ] || p=/usr/bin/python3
            $p -m peers --smoke --gamed "$(command -v gamed)" --out '\(folder.path)'; echo "status $?"
            """)
        #expect(output.hasSuffix("status 0\n"), "\(output)")
        #expect(folder.text("peers.json").contains("\"part\": \"transition\""), "\(output)")
    }
}
