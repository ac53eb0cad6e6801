internal import GameFlow
internal import Support

/// Checks the document of a flow file, and makes a flow definition from the document. The checker does not stop at a mistake,
/// but collects all findings. The definition may be used only if there are no findings.
///
/// It works in two passes. The first pass reads the declarations: settings, events, effects, and states with their data and
/// timers. The second pass reads the parts that refer to declarations: conditions, rows and invariants.
final class FlowFileChecker {
    let findings: FindingList
    /// Whether a journal contains the text. An earlier gamed has accepted it then, so it is read as that gamed read it.
    let isRecorded: Bool
    /// The definition, as far as it has been made.
    var flow = FlowFileDefinition()
    /// The entry and the map of each state, in the order of `flow.states`. The first pass collects them for the second.
    var stateNodes: [(entry: DocumentEntry, map: MapReader)] = []
    /// The entry of each event, and the entries of its arguments. The first pass collects them for the second.
    var eventNodes: [(entry: DocumentEntry, fields: [DocumentEntry])] = []
    /// The entries of the flow's data. The first pass collects them for the second.
    var flowDataNodes: [DocumentEntry] = []
    /// The index of each event in `flow.events`, by the event's name. Only the second pass may read it, when all events are
    /// known.
    lazy var eventIndices = Dictionary(
        flow.events.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    /// Collects the values with which expressions compare arguments and data; the analyses try these values.
    var samples = SampleCollector()
    /// The data to which `add` gives names, and whether each of these names is a value that the file declares.
    var namesInTallies: [String: Bool] = [:]
    /// The names of settings, arguments, data and columns whose declarations have mistakes. What uses such a name causes no further
    /// findings.
    var misdeclared: Set<String> = []
    /// The expressions that draw random values in the row that is being compiled, with their positions.
    var rowDraws: [(position: FilePosition, draw: RowDraw)] = []
    /// The names of the flow's files. A table can have thousands of them.
    var knownFiles: Set<ByteText> = []
    /// The rows that go back, which `resolveBackRows` compiles.
    var backRows: [BackRow] = []
    /// The number of rows in all states, which is limited.
    var rowCount = 0

    /// Where the files of the tables are.
    let tableFiles: TableFiles

    /// The translation that is made; nil for the first language of the file, and in a file without languages.
    let translation: Translation?

    private init(
        _ findings: FindingList, _ tableFiles: TableFiles, isRecorded: Bool,
        _ translation: Translation?
    ) {
        (self.findings, self.tableFiles, self.isRecorded) = (findings, tableFiles, isRecorded)
        self.translation = translation
    }

    /// Checks the document with the root `root`, and adds its mistakes to `findings`. `isRecorded`: a journal contains the text.
    /// Returns the definition with the texts of the first language or of a translation; nil, with a finding, if the root is not a
    /// map.
    static func check(
        _ root: DocumentNode, _ tableFiles: TableFiles, _ findings: FindingList, isRecorded: Bool,
        _ translation: Translation? = nil
    ) -> FlowFileDefinition? {
        let checker = FlowFileChecker(findings, tableFiles, isRecorded: isRecorded, translation)
        guard let map = MapReader(root, "a flow file", keys: keys, findings) else { return nil }
        checker.header(map, root)
        checker.declare(map)
        checker.resolve(map)
        return checker.flow
    }

    /// The keys of a flow file.
    static let keys = [
        "format", "flow", "title", "note", "start", "settings", "data", "events", "effects",
        "states", "everywhere", "always", "tables", "languages",
    ]

    /// The version of the file format.
    static let format = 1

    /// Reads the format, the name and the texts of the flow.
    private func header(_ map: MapReader, _ root: DocumentNode) {
        if let node = map["format"], node.text.flatMap(Literal.integer) != Self.format {
            findings.add(
                node.position, "this gamed reads format 1; leave the line out or write format: 1")
        }
        if let node = map["flow"] {
            (flow.name, flow.namePosition) = (node.text ?? "", node.position)
            if let why = TextForm.nameMistake(flow.name, allowsHyphen: true) {
                findings.add(node.position, why)
            }
        } else {
            findings.add(root.position, "the flow has no name; begin with flow: NAME")
        }
        if let node = map["languages"] { declareLanguages(node) }
        (flow.title, flow.note) = (text(map["title"]), text(map["note"]))
    }

    /// The first pass: reads the declarations.
    private func declare(_ map: MapReader) {
        // The tables come first, because a type can name one.
        if let original = translation?.original {
            (flow.tables, flow.tableFiles) = (original.tables, original.tableFiles)
        } else if let node = map["tables"] {
            declareTables(node)
        }
        noteMisdeclaredColumns(map["tables"])
        if let node = map["settings"] { declareSettings(node) }
        declareLanguageSetting()
        if let node = map["events"] { declareEvents(node) }
        if let node = map["effects"] { declareEffects(node) }
        if let node = map["data"] { declareFlowData(node) }
        if let node = map["states"] {
            declareStates(node)
        } else {
            findings.add(.start, "the flow has no states; write states: with at least one")
        }
        checkStart(map)
    }

    /// The second pass: reads what refers to declarations.
    private func resolve(_ map: MapReader) {
        resolveEvents()
        resolveStates()
        let everywhere = map["everywhere"].flatMap(everywhereRows)
        for state in flow.states.indices { resolveRows(of: state, everywhere) }
        if let everywhere { checkAliases(everywhere) }
        resolveBackRows()
        checkVideoExits()
        if let node = map["always"] { resolveInvariants(node) }
        samples.setSamples(in: &flow)
        markDeclaredNames()
        markDecisiveDraws()
    }

    /// Marks the tallies in which each name is a value that the file declares, such as votes by answer. People have typed no such
    /// name, so pages may show its words.
    private func markDeclaredNames() {
        for state in flow.states.indices {
            for index in flow.states[state].data.indices
            where flow.states[state].data[index].type == .tally {
                let name = flow.states[state].data[index].name
                flow.states[state].data[index].hasDeclaredNames = namesInTallies[name] == true
            }
        }
    }

    /// Reads the key `start`. Each datum of the initial state must have a default or be optional, because no event provides it.
    private func checkStart(_ map: MapReader) {
        guard !flow.states.isEmpty else { return }
        guard let node = map["start"] else {
            findings.add(
                .start, "the flow has no initial state; write start: \(flow.states[0].name)")
            return
        }
        guard let start = stateIndex(node) else { return }
        flow.start = start
        for field in flow.states[start].data
        where field.defaultValue == nil && !field.type.isOptional && !field.isOfFlow {
            findings.add(
                node.position,
                "\(flow.states[start].name) cannot be the initial state, because nothing provides its datum \(field.name); give it a default"
            )
        }
    }

    // MARK: helpers of all parts

    /// Returns the entries of a map of names, up to the limit. Reports a node that is not a map, a map with too many entries,
    /// and keys that are not names. `title` names the map in the sentence of a finding, such as "the events".
    func namedEntries(_ node: DocumentNode, _ title: String, _ limit: FlowFileLimit)
        -> [DocumentEntry]
    {
        if node.isEmpty { return [] }
        guard let entries = node.entries else {
            findings.add(node.position, "expected \(title) as a map of names, not \(node.kind)")
            return []
        }
        if entries.count > limit.maximum {
            findings.add(entries[limit.maximum].position, exceeding: limit)
        }
        let permittedEntries = Array(entries.prefix(limit.maximum))
        for entry in permittedEntries {
            if let why = TextForm.nameMistake(entry.key) { findings.add(entry.position, why) }
            if limit.isOfNamesBesideTexts { checkIsNoLanguage(entry.key, entry.position) }
        }
        return permittedEntries
    }

    /// Returns a text for people, such as a title or a note; nil if `node` is nil. If `node` is not a text, adds a finding and
    /// returns nil.
    func text(_ node: DocumentNode?) -> String? {
        guard let node = node.map(localized) else { return nil }
        guard let text = node.text else {
            reportNoText(node)
            return nil
        }
        if text.unicodeScalars.count > FlowFileLimit.textLength.maximum {
            findings.add(node.position, exceeding: .textLength)
        }
        return text
    }

    /// Returns whether the key `hidden` is given. `node` is the key's value, which may only be `players`; nil without the key.
    func isHidden(_ node: DocumentNode?) -> Bool {
        guard let node else { return false }
        if node.text != "players" { findings.add(node.position, "expected hidden: players") }
        return true
    }

    /// Returns the texts of a list, or a single text as a list. `kind` says in a finding what each text should be.
    func texts(_ node: DocumentNode?, _ kind: String) -> [(text: String, position: FilePosition)] {
        guard let node, !node.isEmpty else { return [] }
        let nodes: [DocumentNode]
        if case .list(let list) = node.content { nodes = list } else { nodes = [node] }
        return nodes.map(localized).compactMap { node in
            guard let text = node.text else {
                findings.add(node.position, "expected \(kind), not \(node.kind)")
                return nil
            }
            return (text, node.position)
        }
    }

    /// Returns the index of the state that a node names. If no state has that name, adds a finding and returns nil.
    func stateIndex(_ node: DocumentNode) -> Int? {
        guard let name = node.text else {
            findings.add(node.position, "expected the name of a state, not \(node.kind)")
            return nil
        }
        let names = flow.states.map(\.name)
        if let index = names.firstIndex(of: name) { return index }
        findings.add(node.position, unknown("state", name, names))
        return nil
    }

    /// Returns the sentence for a name that is not one of `names`. `kind` is the noun before the name, such as `state`.
    func unknown(_ kind: String, _ name: String, _ names: [String]) -> String {
        // A full list ignores findings, so the expensive search for a similar name is left out. At most 256 names are compared.
        guard !findings.isFull else { return "" }
        let hint = names.isEmpty ? "" : "; \(DidYouMean.hint(name, Array(names.prefix(256))))"
        return "there is no \(kind) \(name.isEmpty ? "without a name" : name)\(hint)"
    }

    // MARK: values and expressions

    /// Warns of a whole number without quotes that begins with 0, if `text` is one.
    func warnOfLeadingZero(_ text: String, _ position: FilePosition) {
        guard MistakableText.hasLeadingZero(text), let number = Literal.integer(text) else {
            return
        }
        findings.warn(
            position, "\(text) is read as the number \(number); write '\(text)' for a text")
    }

    /// Compiles an expression, with or without a `=` at its beginning. `type` is the type that the expression must have; nil if
    /// any type is allowed. `scope` has the names that the expression can use. `readable` is the event and the state to which
    /// the arguments and data among these names belong. Returns nil, with a finding, if the expression has a mistake.
    func expression(
        _ node: DocumentNode, as type: DataType?, _ scope: ExpressionScope,
        _ readable: SampleCollector.ReadableFields
    ) -> CompiledExpression? {
        guard let text = node.text else {
            findings.add(node.position, "expected an expression, not \(node.kind)")
            return nil
        }
        let signLength = text.hasPrefix("=") ? 1 : 0
        var compiler = ExpressionCompiler(scope, tables: flow.tables)
        do {
            let compiled = try compiler.compile(String(text.dropFirst(signLength)), as: type)
            samples.add(compiler.comparisons, readable, flow)
            if compiler.reads.timers, let state = readable.state {
                flow.states[state].usesTimers = true
            }
            if compiler.comparesCollections { flow.comparesCollections = true }
            namesInTallies.merge(compiler.namesInTallies) { $0 && $1 }
            guard compiler.draws else { return compiled.reading(compiler.reads) }
            let drawing = compiled.drawing.reading(compiler.reads)
            rowDraws.append((node.position, RowDraw(expression: drawing)))
            return drawing
        } catch {
            if let name = error.unknownName, misdeclared.contains(name) { return nil }
            findings.add(node.textPosition.advanced(by: signLength + error.offset), error.why)
            return nil
        }
    }

    /// Compiles a text that people see: an expression if it begins with `=`, otherwise the text as it stands. Earlier versions of
    /// gamed knew no expressions here. So a text of a journal that is no expression stands as it is.
    func shownText(
        _ node: DocumentNode, _ scope: ExpressionScope, _ readable: SampleCollector.ReadableFields
    ) -> CompiledExpression? {
        let node = localized(node)
        guard let text = text(node) else { return nil }
        var compiler = ExpressionCompiler(scope, tables: flow.tables)
        let isExpression =
            text.hasPrefix("=")
            && (!isRecorded || (try? compiler.compile(String(text.dropFirst()), as: .text)) != nil)
        return isExpression
            ? expression(node, as: .text, scope, readable)
            : CompiledExpression(.string(text), .text)
    }

    /// Compiles a value: an expression if the text begins with `=`, otherwise a literal of the type `type`. Returns
    /// nil, with a finding, if the value has a mistake. `scope` and `readable` are as for `expression`.
    func value(
        _ node: DocumentNode, as type: DataType, _ scope: ExpressionScope,
        _ readable: SampleCollector.ReadableFields
    ) -> CompiledExpression? {
        if node.text?.hasPrefix("=") == true { return expression(node, as: type, scope, readable) }
        if type.unwrapped == .integer, !node.isQuoted, let text = node.text {
            warnOfLeadingZero(text, node.position)
        }
        do {
            return CompiledExpression(try Literal.read(node, as: type), type)
        } catch {
            var why = error.why
            if let text = node.text, scope.find(text) != nil || text.hasPrefix("settings.") {
                why += "; if it is meant as an expression, write =\(text)"
            }
            findings.add(error.position, why)
            return nil
        }
    }
}
