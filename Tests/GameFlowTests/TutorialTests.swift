import TestSupport
import Testing

/// The code of the tutorial and of the pages for migration is the code of `Tests/LibraryTests`, which is compiled.
@Suite struct TutorialTests {
    private static let catalog = "Sources/GameFlow/GameFlow.docc"

    private static func text(_ path: String) throws -> String {
        let text = RepositoryFile.text(path)
        try #require(!text.isEmpty, "\(path)")
        return text
    }

    /// The lines of a text without their indentation; no empty lines.
    private static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
    }

    @Test func `the tutorial ends with the flow that is tested`() throws {
        let tested = try Self.text("Tests/LibraryTests/Lock.swift")
        #expect(try Self.text("\(Self.catalog)/Resources/Lock.swift") == tested)
        // Each step compiles, so the lock is a flow only when it has everything that a flow needs.
        let parts = Self.lines(tested.replacing("Lock: DefaultFlow", with: "Lock"))
        for step in 1...2 {
            let part = Self.lines(try Self.text("\(Self.catalog)/Resources/Lock-\(step).swift"))
            // The last line closes the type, which goes on in the next step.
            #expect(parts.starts(with: part.dropLast()))
        }
    }

    @Test func `the tests of the tutorial are run`() throws {
        let tested = Self.lines(try Self.text("Tests/LibraryTests/LockTests.swift"))
        let shown = Self.lines(try Self.text("\(Self.catalog)/Resources/LockTests.swift"))
        #expect(shown.filter { $0 != "import Lock" } == tested)
    }

    @Test(arguments: ["FromGKStateMachine", "FromTheArticles"])
    func `each line of a listing is a line of a test`(_ page: String) throws {
        let tests = RepositoryFile.swiftFiles(in: "Tests/LibraryTests")
            .flatMap { Self.lines(RepositoryFile.text($0)) }
            .map { $0.hasPrefix("fileprivate ") ? String($0.dropFirst(12)) : $0 }
        let known = Set(tests)
        let blocks = CodeBlock.blocks(of: try Self.text("\(Self.catalog)/\(page).md"))
            .filter { $0.language == "swift" }
        #expect(!blocks.isEmpty)
        for line in blocks.flatMap({ Self.lines($0.lines.joined(separator: "\n")) }) {
            #expect(known.contains(line), "\(page): \(line)")
        }
    }
}
