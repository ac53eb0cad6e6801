import TestSupport
import Testing

/// Compiles the samples in Tests/Additions, which add to the program what docs/architecture.md describes.
@Suite(.enabled(if: TestLength.isLong)) struct AdditionsTests {
    /// Counts the files that a sample adds or changes, and compiles the modules that it changes.
    private func check(_ sample: String, _ modules: String) -> String {
        ShellCommand.run(
            """
            find Tests/Additions/\(sample) -type f | wc -l
            Tests/Additions/check \(sample) "$(dirname "$(command -v gamed)")/Modules" \(modules)
            echo "status $?"
            """, timeout: 900)
    }

    @Test func `a kind of change is a file, a word in a list and a row of the table of methods`() {
        let output = check("ChangeKind", "Sessions RPC")
        #expect(output == "3\nstatus 0\n", "\(output)")
    }

    @Test
    func
        `a method of a part is a file, a place in the part's list and a row of the table of methods`()
    {
        let output = check("PartMethod", "RPC Room")
        #expect(output == "3\nstatus 0\n", "\(output)")
    }

    @Test
    func `a kind of device is its driver, its lines, its outputs and a place in the list of kinds`()
    {
        let output = check("DeviceKind", "Inputs Room")
        #expect(output == "4\nstatus 0\n", "\(output)")
    }

    @Test func `a store for one node is a file and a place in the list of local journals`() {
        let output = check("Store", "LocalJournals")
        #expect(output == "2\nstatus 0\n", "\(output)")
    }

    @Test func `an option is a property and a row in the section of its part`() {
        let output = check("Option", "Connections")
        #expect(output == "1\nstatus 0\n", "\(output)")
    }
}
