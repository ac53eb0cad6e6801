internal import GameFlow
internal import Support

/// Texts by language. A file with the key `languages` is checked once for each of them, and each check reads the texts of its
/// language.
extension FlowFileChecker {
    /// A check that makes the definition in a further language.
    struct Translation {
        let language: String
        /// The definition in the first language. Its tables, which have no texts by language, are not read again.
        let original: FlowFileDefinition

        init(_ language: String, of original: FlowFileDefinition) {
            (self.language, self.original) = (language, original)
        }
    }

    /// The name of the setting that selects the language of a session.
    static let languageSetting = "language"

    /// Reads the key `languages` into the definition, and selects the language of this check.
    func declareLanguages(_ node: DocumentNode) {
        let names = texts(node, "a language")
        if names.count > FlowFileLimit.languages.maximum {
            findings.add(node.position, exceeding: .languages)
        }
        for (index, name) in names.prefix(FlowFileLimit.languages.maximum).enumerated() {
            if !TextForm.isLanguage(name.text) {
                findings.add(name.position, "\(name.text) is not a language such as en or pt-BR")
            }
            if names[..<index].contains(where: { $0.text.hasSameBytes(as: name.text) }) {
                findings.add(name.position, "\(name.text) is in the list already")
                continue
            }
            flow.languages.append(name.text)
        }
        if flow.languages.isEmpty {
            findings.add(node.position, "write languages: [en, de], the language of sessions first")
        }
    }

    /// Adds the setting that selects the language of a session. A file with languages cannot declare it.
    func declareLanguageSetting() {
        guard let first = flow.languages.first else { return }
        let field = FieldDefinition(name: Self.languageSetting, type: .oneOf(flow.languages))
        flow.settings.append(SettingDefinition(field: field, defaultValue: .string(first)))
    }

    /// Adds a finding if a declared name is the name of a language: a map could not be told from a text by language.
    func checkIsNoLanguage(_ name: String, _ position: FilePosition) {
        guard flow.languages.contains(where: name.hasSameBytes) else { return }
        findings.add(position, "\(name) is a language of this flow; choose another name")
    }

    /// Returns the node of a text in the language of this check, if the node is a text by language; otherwise the node itself.
    func localized(_ node: DocumentNode) -> DocumentNode {
        guard let entries = textsByLanguage(node) else { return node }
        for other in flow.languages
        where !entries.contains(where: { other.hasSameBytes(as: $0.key) }) {
            findings.add(node.position, "this text is missing in \(other)")
        }
        let language = translation?.language ?? flow.languages[0]
        return entries.first { language.hasSameBytes(as: $0.key) }?.value
            ?? DocumentNode(content: .scalar("", isQuoted: true), position: node.position)
    }

    /// Adds a finding for a node that is no text in place of one.
    func reportNoText(_ node: DocumentNode) {
        let entries = node.entries ?? []
        let isDeclared = { (entry: DocumentEntry) in
            self.flow.languages.contains(where: entry.key.hasSameBytes)
        }
        guard let other = entries.first(where: { !isDeclared($0) }),
            entries.contains(where: isDeclared)
                || entries.allSatisfy({ TextForm.isLanguage($0.key) })
        else {
            findings.add(node.position, "expected a text, not \(node.kind)")
            return
        }
        let languages = flow.languages.joined(separator: ", ")
        findings.add(
            other.position,
            languages.isEmpty
                ? "this file has no languages; write one text, or begin the file with languages: [\(entries.map(\.key).joined(separator: ", "))]"
                : "\(other.key) is not among the languages of this file, \(languages); remove it here, or add it to languages"
        )
    }

    /// Returns the entries of a text by language; nil if the node is not one.
    func textsByLanguage(_ node: DocumentNode) -> [DocumentEntry]? {
        guard !flow.languages.isEmpty, let entries = node.entries, !entries.isEmpty,
            entries.allSatisfy({ entry in flow.languages.contains(where: entry.key.hasSameBytes) })
        else { return nil }
        return entries
    }
}
