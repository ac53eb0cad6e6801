public import GameFlow
internal import Support

/// A flow file that has been read and checked.
public struct FlowFile {
    /// The name by which clients select the flow.
    public var name: String { definition.name }
    /// The file's bytes. The journal keeps these bytes with the sessions that play the flow. So a restart does not need the
    /// file.
    public let text: [UInt8]
    /// The declarations of the file, for programs that show it: titles, notes, types, limits and screens.
    package let definition: FlowFileDefinition
    /// The declarations with the texts of the further languages, in the order of the key `languages`.
    private let translations: [FlowFileDefinition]
    /// The files of the flow's tables.
    public var tableFiles: [FlowSource.TableFile] { definition.tableFiles }
    /// Possible mistakes. The file can be used nevertheless. `AnyFlow.warnings` has further ones, for which the flow is tried.
    public let warnings: [FileFinding]
    /// The name with which the descriptions of the findings begin.
    let file: String

    /// Reads and checks the file at `path`. The error has all findings. If the file cannot be read, the reason is the only
    /// finding.
    public init(path: String) throws(FlowFileError) {
        try self.init(text: try Self.readText(path), path: path)
    }

    /// Checks the text of the flow file at `path`, which was read before. Table files are read here.
    package init(text: [UInt8], path: String) throws(FlowFileError) {
        try self.init(text, path, .beside(path))
    }

    /// Whether the files of the tables of a flow that was read from the file at `path` are as they were.
    package static func hasSameTables(_ source: FlowSource, at path: String) -> Bool {
        source.tableFiles.allSatisfy { file in
            (try? TableFiles.beside(path).read(file.name)) == file.bytes
        }
    }

    /// Reads the bytes of the file at `path`.
    package static func readText(_ path: String) throws(FlowFileError) -> [UInt8] {
        do { return try FlowFileText.read(path) } catch {
            let finding = FileFinding(
                file: path, position: .start, sentence: "the file cannot be read: \(error.why)")
            throw FlowFileError(findings: [finding])
        }
    }

    /// Checks the text of a flow file. `file` is the name with which the descriptions of the findings begin. `tableFiles` are the
    /// files that the text names.
    public init(text: [UInt8], file: String, tableFiles: [FlowSource.TableFile] = [])
        throws(FlowFileError)
    {
        try self.init(text, file, .recorded(tableFiles))
    }

    /// `isRecorded`: a journal contains the text.
    private init(
        _ text: [UInt8], _ file: String, _ tableFiles: TableFiles, isRecorded: Bool = false
    ) throws(FlowFileError) {
        let findings = FindingList(file: file)
        let root = DocumentReader.read(text, findings, isRecorded: isRecorded)
        let definition = root.flatMap {
            FlowFileChecker.check($0, tableFiles, findings, isRecorded: isRecorded)
        }
        translations = (definition?.languages.dropFirst() ?? []).compactMap { language in
            guard let root, let definition else { return nil }
            let translation = FlowFileChecker.Translation(language, of: definition)
            return FlowFileChecker.check(
                root, tableFiles, findings, isRecorded: isRecorded, translation)
        }
        guard let definition, findings.isEmpty else {
            throw FlowFileError(
                findings: findings.sorted, warnings: findings.sortedWarnings)
        }
        (self.text, self.definition, self.file) = (text, definition, file)
        warnings = findings.sortedWarnings
    }

    /// Returns the declarations with the texts of a language; nil if the file does not declare it.
    func definition(in language: String) -> FlowFileDefinition? {
        definition.languages.firstIndex(where: language.hasSameBytes).map { index in
            index == 0 ? definition : translations[index - 1]
        }
    }

    /// Returns the program of a flow with these values of its settings. Its texts are in the language that they select.
    func program(settings: [Value]) -> FileProgram {
        let index = definition.settings.firstIndex {
            $0.name == FlowFileChecker.languageSetting && !definition.languages.isEmpty
        }
        let language = index.flatMap { settings[$0].text }
        return FileProgram(
            language.flatMap(definition(in:)) ?? definition, settings: settings)
    }

    /// All possible mistakes: `warnings`, and those that are found by entering each state of `flow`, the flow of this file, with
    /// samples of its data.
    public func allWarnings(_ flow: AnyFlow) -> [FileFinding] {
        let positions = Dictionary(
            definition.states.map { ($0.name, $0.position) },
            uniquingKeysWith: { first, _ in first })
        let findings = flow.mistakesOfStates.map { state, sentence in
            FileFinding(file: file, position: positions[state] ?? .start, sentence: sentence)
        }
        return FindingList.sorted(warnings + findings)
    }

    /// The mistake in a file whose flow has the name of a flow that is compiled into the program; nil for another name.
    package func mistake(beside builtIn: [AnyFlow]) -> FileFinding? {
        Self.mistake(ofName: name, beside: builtIn).map {
            FileFinding(file: file, position: definition.namePosition, sentence: $0)
        }
    }

    /// Why a flow file cannot use a name; nil if it can. `builtIn` are the flows that are compiled into the program.
    package static func mistake(ofName name: String, beside builtIn: [AnyFlow]) -> String? {
        if let mistake = TextForm.nameMistake(name, allowsHyphen: true) { return mistake }
        return builtIn.contains { $0.name == name }
            ? "\(name) is the name of a built-in flow; choose another" : nil
    }

    /// A warning for a flow that requests the effect `show`, if no output sends it. Nil if the flow does not request it.
    public var warningOfShowEffect: FileFinding? {
        definition.showEffect.map { position in
            FileFinding(
                file: file, position: position,
                sentence:
                    "no `on` line sends the effect show, and the players' screens do not show it; use the effect say"
            )
        }
    }

    /// The name of this version of the flow: the first twelve hexadecimal digits of a SHA-256 over the text and the table files.
    public var version: String { FlowFileText.version(of: text, tableFiles) }

    /// The flow that runs the file, with the defaults of its settings.
    public var flow: AnyFlow { FileFlow(self).anyFlow }

    /// Builds a flow from the text of a version that a journal contains. A `FlowCatalog` calls it. Throws if this gamed finds a
    /// mistake in the text.
    package static func flow(of source: FlowSource) throws(UnusableVersionError) -> AnyFlow {
        do throws(FlowFileError) {
            return try FlowFile(
                source.text, "version \(source.version)", .recorded(source.tableFiles),
                isRecorded: true
            ).flow
        } catch {
            throw UnusableVersionError(
                why: error.findings.first?.description ?? "it cannot be read")
        }
    }
}

extension SettingDefinition {
    /// Returns the text with which a file writes a value of the setting: `45m`, `3`, `true`.
    package func fileText(of value: Value) -> String {
        switch (type, value) {
        case (.duration, .int(let milliseconds)): DurationText.write(.milliseconds(milliseconds))
        case (_, .string(let text)): text
        default: "\(value)"
        }
    }

    /// Returns the setting's new value. `value` is what an operator sent: a text as in flow files, such as `45m`, or an integer
    /// or a boolean of JSON. A duration must be a text, because an integer has no unit.
    func read(_ value: Value) throws(ArgumentError) -> Value {
        switch (type, value) {
        case (_, .string(let text)):
            return try checked(try Literal.read(text, as: type))
        case (.integer, .int), (.boolean, .bool): return try checked(value)
        default: throw .expected(type.name, value)
        }
    }

    private func checked(_ value: Value) throws(ArgumentError) -> Value {
        if let why = field.violation(value) { throw ArgumentError(why) }
        return value
    }
}
