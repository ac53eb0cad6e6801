import TestSupport
import Testing

@testable import GamectlTool

/// The functions and files that docs/architecture.md names exist.
@Suite struct ArchitectureTests {
    private static let root = RepositoryFile.root

    /// A function named on the page.
    private struct Named: CustomStringConvertible {
        let type: String
        let function: String
        let path: String
        var description: String { "\(type).\(function) in \(path)" }
    }

    private static func text(_ path: String) throws -> String {
        String(decoding: try FileText.read("\(root)/\(path)"), as: UTF8.self)
    }

    private static func named() throws -> [Named] {
        let form = /`(\w+)\.(\w+)`\s+\(`(Sources\/[^`]+)`\)/
        return try text("docs/architecture.md").matches(of: form).map {
            Named(type: String($0.1), function: String($0.2), path: String($0.3))
        }
    }

    @Test func `every function on the page is in the named file`() throws {
        let named = try Self.named()
        #expect(named.count > 40)
        for one in named {
            let source = try Self.text(one.path)
            let declaration = one.function == "init" ? "init(" : "func \(one.function)("
            let generic = "func \(one.function)<"
            #expect(source.contains(declaration) || source.contains(generic), "\(one)")
            let type = try Regex("(class|struct|enum|extension|protocol) \(one.type)\\b")
            #expect(source.contains(type), "\(one)")
        }
    }

    @Test func `the path of a request has at most 25 steps`() throws {
        let page = try Self.text("docs/architecture.md")
        let lines = page.split(separator: "\n")
        let section = lines.drop { $0 != "## A `send`" }.dropFirst().prefix { !$0.hasPrefix("##") }
        let steps = section.filter { $0.first?.isNumber == true }
        #expect((10...25).contains(steps.count))
    }
}
