import TestSupport
import Testing

/// Every block of Swift code in the library's documentation compiles.
@Suite(.enabled(if: TestLength.isLong)) struct CodeBlockTests {
    @Test func `each block of code compiles, also on the main actor by default`() throws {
        // The modules lie beside the bundle of the tests.
        let bundle = try #require(
            CommandLine.arguments.first { $0.hasSuffix("PackageTests.xctest") })
        let folder = bundle.lastIndex(of: "/").map { bundle[..<$0] } ?? "."
        let output = ShellCommand.run("Scripts/listings '\(folder)/Modules' 2>&1", timeout: 900)
        #expect(output.hasSuffix(" programs compile\n"), "\(output)")
    }
}
