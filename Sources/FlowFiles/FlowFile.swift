/// A flow file that has been read and checked.
public struct FlowFile {
    /// The name by which clients select the flow.
    public var name: String { definition.name }
    /// The file's bytes, which the journal keeps with each session that plays them.
    public let text: [UInt8]
    let definition: FlowDefinition

    /// Reads and checks the file at `path`. Throws all its findings, or one with the reason if it cannot be read.
    public init(path: String) throws(FlowFileError) {
        let text: [UInt8]
        do { text = try FlowFileText.read(path) } catch {
            let finding = Finding(
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
}
