import TestSupport
import Testing

/// The page for newcomers shows the code of the tests, and the flows that the documentation calls short are short.
@Suite struct GettingStartedTests {
    @Test(arguments: [("Registration", 60), ("Permissions", 60), ("Game", 150)])
    func `a flow has few lines of code, not counting blank lines and comments`(
        _ flow: String, _ limit: Int
    ) {
        let lines = RepositoryFile.text("Sources/ShippedFlows/\(flow).swift").split(separator: "\n")
        let code = lines.map { $0.drop { $0 == " " } }.filter {
            !$0.isEmpty && !$0.hasPrefix("//")
        }
        #expect(code.count <= limit)
    }

    @Test func `the page for newcomers contains the code of the lock`() {
        func lines(_ text: String) -> [String] {
            text.split(separator: "\n").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
        }
        let page = RepositoryFile.text("Sources/GameFlow/GameFlow.docc/GettingStarted.md")
        let blocks = page.components(between: "```swift\n", and: "```")
        let code = blocks.filter { $0.contains("Lock") || $0.hasPrefix("    public") }
            .filter { !$0.contains("GameFlowTesting") && !$0.hasPrefix("let lock") }
        let source = RepositoryFile.text("Tests/LibraryTests/Lock.swift")
        // The formatter breaks long lines; only the characters count.
        #expect(lines(code.joined()).joined() == lines(source).joined())
    }
}

extension String {
    /// The parts between two marks, in order.
    fileprivate func components(between start: String, and end: String) -> [String] {
        var parts: [String] = []
        var unread = self[...]
        while let startRange = unread.firstRange(of: start) {
            unread = unread[startRange.upperBound...]
            guard let endRange = unread.firstRange(of: end) else { break }
            parts.append(String(unread[..<endRange.lowerBound]))
            unread = unread[endRange.upperBound...]
        }
        return parts
    }
}
