import TestSupport
import Testing

@testable import GamectlTool

/// The functions and files that docs/architecture.md names exist.
@Suite struct ArchitectureTests {
    private static let root = RepositoryFile.root

    /// A function named on the page.
    private struct NamedFunction: CustomStringConvertible {
        let type: String
        let name: String
        let path: String
        var description: String { "\(type).\(name) in \(path)" }
    }

    private static func text(_ path: String) throws -> String {
        String(decoding: try FileText.read("\(root)/\(path)"), as: UTF8.self)
    }

    private static func namedFunctions() throws -> [NamedFunction] {
        let form = /`(\w+)\.(\w+)`\s+\(`(Sources\/[^`]+)`\)/
        return try text("docs/architecture.md").matches(of: form).map {
            NamedFunction(type: String($0.1), name: String($0.2), path: String($0.3))
        }
    }

    @Test func `every function on the page is in the named file`() throws {
        let functions = try Self.namedFunctions()
        #expect(functions.count > 40)
        for function in functions {
            let source = try Self.text(function.path)
            let declaration = function.name == "init" ? "init(" : "func \(function.name)("
            let genericDeclaration = "func \(function.name)<"
            #expect(
                source.contains(declaration) || source.contains(genericDeclaration),
                "\(function)")
            let type = try Regex("(class|struct|enum|extension|protocol) \(function.type)\\b")
            #expect(source.contains(type), "\(function)")
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
