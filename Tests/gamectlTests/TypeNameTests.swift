import TestSupport
import Testing

/// The names of the types in Sources are unambiguous: no type may have the name of another, top-level type that its code can
/// see. The code of a module sees the module's own types, and the public types of the imported modules.
@Suite struct TypeNameTests {
    private struct Declaration {
        let name: String
        let module: String
        let path: String
        let line: Int
        let isTopLevel: Bool
        let access: Substring

        /// Reads a declaration from a line of code; nil if the line declares no type.
        init?(_ text: Substring, module: String, path: String, line: Int) {
            let words = text.split(separator: " ")
            guard let keyword = words.firstIndex(where: Self.keywords.contains),
                words[..<keyword].allSatisfy(Self.isModifier), keyword + 1 < words.count,
                words[keyword + 1].first?.isUppercase == true
            else { return nil }
            let name = String(words[keyword + 1].prefix { $0.isLetter || $0.isNumber })
            // A short name for the same type, such as `typealias Refusal = GameFlow.Refusal<State, Event>`.
            let meaning = text.split(separator: "=").dropFirst().first?.split(separator: "<").first
            guard meaning?.hasSuffix(".\(name)") != true else { return nil }
            self.name = name
            access = words[..<keyword].first(where: Self.accessLevels.contains) ?? "internal"
            isTopLevel = text.first != " "
            (self.module, self.path, self.line) = (module, path, line)
        }

        private static let keywords: Set<Substring> = [
            "class", "struct", "enum", "protocol", "actor", "typealias",
        ]
        private static let accessLevels: Set<Substring> = [
            "public", "package", "private", "fileprivate",
        ]

        /// Whether a word can be a modifier, such as `public`, or an attribute.
        private static func isModifier(_ word: Substring) -> Bool {
            word.allSatisfy { $0.isLetter || $0 == "@" }
        }

        var nameAndLine: String { "\(name) in \(path):\(line)" }
    }

    /// The declarations of all modules, and for each module the modules that it imports.
    private struct Modules {
        var declarations: [Declaration] = []
        var imports: [String: Set<String>] = [:]

        init() {
            // The steps of a tutorial are versions of one file.
            for path in RepositoryFile.swiftFiles(in: "Sources")
            where !path.contains(".docc/") {
                let module = String(path.split(separator: "/")[1])
                let lines = RepositoryFile.text(path)
                    .split(separator: "\n", omittingEmptySubsequences: false)
                for (index, line) in lines.enumerated() {
                    let declaration = Declaration(
                        line, module: module, path: path, line: index + 1)
                    if let declaration { declarations.append(declaration) }
                    if let name = Self.importedModule(line) {
                        imports[module, default: []].insert(name)
                    }
                }
            }
        }

        /// The module that a line of code imports; nil if it imports none.
        private static func importedModule(_ line: Substring) -> String? {
            let words = line.split(separator: " ")
            guard let word = words.firstIndex(of: "import"), word < 2, word + 1 < words.count
            else { return nil }
            return String(words[word + 1])
        }

        /// Whether the code at the declaration `viewer` can use `other` by its simple name.
        private func canUse(_ other: Declaration, at viewer: Declaration) -> Bool {
            switch other.access {
            case "private", "fileprivate": viewer.path == other.path
            case "internal": viewer.module == other.module
            default:
                viewer.module == other.module
                    || imports[viewer.module]?.contains(other.module) == true
            }
        }

        /// A text for each collision: two types have the same name, and the code of the first type can see the second type, which
        /// is declared at top level. The text has the places of both types.
        var collisions: [String] {
            let topLevel = Dictionary(grouping: declarations.filter(\.isTopLevel), by: \.name)
            return declarations.flatMap { type in
                (topLevel[type.name] ?? []).filter { other in
                    (other.path, other.line) != (type.path, type.line) && canUse(other, at: type)
                }.map { "\(type.nameAndLine), \($0.nameAndLine)" }
            }
        }
    }

    @Test func `no type has the name of a top-level type that its module can see`() {
        let modules = Modules()
        // `#expect` prints its operands when it fails. `modules` is too long to be printed. `count` and `collisions` are short.
        let count = modules.declarations.count
        #expect(count > 1000)
        let collisions = modules.collisions
        #expect(collisions == [])
    }
}
