import Glibc
import TestSupport
import Testing

/// The public symbols of the library products are those of api/.
@Suite struct PublicSymbolsTests {
    @Test func `a change of the public symbols is written down`() throws {
        // The modules lie beside the bundle of the tests.
        let bundle = try #require(
            CommandLine.arguments.first { $0.hasSuffix("PackageTests.xctest") })
        let folder = bundle.lastIndex(of: "/").map { bundle[..<$0] } ?? "."
        let result = ShellCommand.run("Scripts/api --check '\(folder)/Modules' 2>&1 && echo same")
        #expect(result == "same\n", "\(result)")
    }
}
