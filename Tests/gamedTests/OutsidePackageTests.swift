import TestSupport
import Testing

/// Compiles the listings of the library's documentation in another package, which can import only the products.
@Suite(.enabled(if: TestLength.isLong)) struct OutsidePackageTests {
    @Test func `the listings compile in another package, and their tests pass`() {
        let output = ShellCommand.run(
            "swift test --disable-xctest --package-path Tests/FromOutside 2>&1; echo \"status $?\"")
        #expect(output.hasSuffix("status 0\n"), "\(output)")
        #expect(output.contains("Suite LockTests passed"), "\(output)")
    }
}
