import TestSupport
import Testing

/// Compiles the samples in Tests/Additions, which add to the program what docs/architecture.md describes.
@Suite(.enabled(if: TestLength.isLong)) struct AdditionsTests {
    @Test func `a kind of change is a file, a word in a list and a row of the table of methods`() {
        let output = ShellCommand.run(
            """
            ls Tests/Additions/ChangeKind | wc -l
            Tests/Additions/check ChangeKind "$(dirname "$(command -v gamed)")/Modules"
            echo "status $?"
            """)
        #expect(output == "3\nstatus 0\n", "\(output)")
    }
}
