import Glibc
import TestSupport
import Testing

/// The terms of docs/glossary.md exist and are unique.
@Suite struct GlossaryTests {
    private static func terms() -> [String] {
        RepositoryFile.text("docs/glossary.md").matches(of: /(?m)^\| `([^`]+)` \|/).map {
            String($0.1)
        }
    }

    /// The names of all types in Sources and Tests.
    private static func types() -> Set<String> {
        var types: Set<String> = []
        let paths = ["Sources", "Tests"].flatMap(RepositoryFile.swiftFiles(in:))
        for path in paths {
            let declarations = RepositoryFile.text(path).matches(
                of: /(?:class|struct|enum|protocol|actor|typealias) ([A-Z]\w*)/)
            types.formUnion(declarations.map { String($0.1) })
        }
        return types
    }

    @Test func `each term of the glossary is a type, a folder or a word of the protocol`() {
        let (terms, types) = (Self.terms(), Self.types())
        let openAPI = RepositoryFile.text("Sources/WebPages/openapi.json")
        #expect(terms.count > 50)
        #expect(types.count > 300)
        for term in terms {
            let isFolder = access("\(RepositoryFile.root)/Sources/\(term)", F_OK) == 0
            let isProtocolWord = openAPI.contains("\"\(term)\"") || openAPI.contains("`\(term)`")
            #expect(types.contains(term) || isFolder || isProtocolWord, "\(term)")
        }
    }

    @Test func `no term is listed twice`() {
        let terms = Self.terms()
        #expect(Set(terms).count == terms.count)
    }
}
