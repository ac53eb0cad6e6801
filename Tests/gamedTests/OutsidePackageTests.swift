import TestSupport
import Testing

/// Compiles the listings of the library's documentation in another package, which can import only the products, from a tag.
@Suite(.enabled(if: TestLength.isLong)) struct OutsidePackageTests {
    @Test func `the listings compile in another package, also on the main actor by default`() {
        let output = ShellCommand.run("Scripts/test-outside 2>&1; echo \"status $?\"")
        #expect(output.hasSuffix("status 0\n"), "\(output)")
        #expect(output.ranges(of: "Suite LockTests passed").count == 2, "\(output)")
    }
}
