public import GameFlow
internal import Support

/// A flow file that has been read and checked.
public struct FlowFile {
    /// The name by which clients select the flow.
    public var name: String { definition.name }
    /// The file's bytes, which the journal keeps with each session that plays them.
    public let text: [UInt8]
    /// The declarations of the file, for programs that show it: titles, notes, types, limits and screens.
    package let definition: FlowDefinition

    /// Reads and checks the file at `path`. Throws all its findings, or one with the reason if it cannot be read.
    public init(path: String) throws(FlowFileError) {
        let text: [UInt8]
        do { text = try FlowFileText.read(path) } catch {
            let finding = FileFinding(
                file: path, position: .start, sentence: "the file cannot be read: \(error.why)")
            throw FlowFileError(findings: [finding])
        }
        try self.init(text: text, file: path)
    }

    /// Checks a text. `file` is the name that the findings begin with.
    public init(text: [UInt8], file: String) throws(FlowFileError) {
        let findings = FindingList(file: file)
        let root = DocumentReader.read(text, findings)
        let definition = root.flatMap { FlowFileChecker.check($0, findings) }
        guard let definition, findings.isEmpty else {
            throw FlowFileError(findings: findings.sorted)
        }
        (self.text, self.definition) = (text, definition)
    }

    /// The first twelve hexadecimal digits of the text's SHA-256, by which a version of the flow is known.
    public var version: String { FlowFileText.version(of: text) }

    /// The flow that runs the file, with the defaults of its settings.
    public var flow: AnyFlow { FileFlow(self).anyFlow }

    /// Builds a flow from the text of a version that a journal contains. A `FlowCatalog` calls it.
    public static func flow(of source: FlowSource) throws(UnusableVersionError) -> AnyFlow {
        do throws(FlowFileError) {
            return try FlowFile(text: source.text, file: "version \(source.version)").flow
        } catch {
            throw UnusableVersionError(
                why: error.findings.first?.description ?? "it cannot be read")
        }
    }
}

extension SettingDefinition {
    /// Returns a value as it is written in a file: `45m`, `3`, `true`.
    package func written(_ value: Value) -> String {
        switch (type, value) {
        case (.duration, .int(let milliseconds)): DurationText.write(.milliseconds(milliseconds))
        case (_, .string(let text)): text
        default: "\(value)"
        }
    }

    /// Returns the value of a setting as it is written in a file or in JSON.
    func read(_ value: Value) throws(ArgumentError) -> Value {
        switch (type, value) {
        case (_, .string(let text)):
            let read = try Literal.read(text, as: type)
            guard FieldDefinition(name: name, type: type).violation(read) == nil else {
                throw ArgumentError(FlowFileLimit.textLength.sentence)
            }
            return read
        case (.integer, .int), (.boolean, .bool): return value
        default: throw .expected(type.name, value)
        }
    }
}
