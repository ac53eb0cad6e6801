import Glibc
import TestSupport
import Testing

@testable import GamectlTool

/// The terms of docs/glossary.md exist and are unique.
@Suite struct GlossaryTests {
    private static let root = RepositoryFile.root

    private static func text(_ path: String) throws -> String {
        String(decoding: try FileText.read("\(root)/\(path)"), as: UTF8.self)
    }

    private static func terms() throws -> [String] {
        try text("docs/glossary.md").matches(of: /(?m)^\| `([^`]+)` \|/).map { String($0.1) }
    }

    /// The names of all types in Sources.
    private static func types() throws -> Set<String> {
        var types: Set<String> = []
        for path in RepositoryFile.swiftFiles(in: "Sources") {
            let declarations = try text(path).matches(
                of: /(?:class|struct|enum|protocol|actor|typealias) ([A-Z]\w*)/)
            types.formUnion(declarations.map { String($0.1) })
        }
        return types
    }

    @Test func `each term of the glossary is a type, a folder or a word of the protocol`() throws {
        let (terms, types) = (try Self.terms(), try Self.types())
        let openAPI = try Self.text("Sources/WebPages/openapi.json")
        #expect(terms.count > 50)
        #expect(types.count > 300)
        for term in terms {
            let isFolder = access("\(Self.root)/Sources/\(term)", F_OK) == 0
            let isProtocolWord = openAPI.contains("\"\(term)\"") || openAPI.contains("`\(term)`")
            #expect(types.contains(term) || isFolder || isProtocolWord, "\(term)")
        }
    }

    @Test func `no term is listed twice`() throws {
        let terms = try Self.terms()
        #expect(Set(terms).count == terms.count)
    }
}
