/// Collects the findings of a file, so that all of them are reported together.
///
/// It is a class, because the reader and all parts of the checker add their findings to one list.
final class FindingList {
    private let file: String
    private var findings: [FileFinding] = []
    private var warnings: [FileFinding] = []
    /// The findings without the suffix that names a state. So a mistake that several states share is reported once.
    private var findingsWithoutState: Set<FileFinding> = []
    /// The state for which the rows of the key `everywhere` are being checked; nil while other parts of the file are checked.
    /// The rows of `everywhere` belong to many states, so the checker checks these rows once for each state. A finding about
    /// such a row names the first state in which the row has the mistake. `FlowFileChecker.resolveRows` sets this property.
    var stateOfRow: String?

    init(file: String) { self.file = file }

    var isEmpty: Bool { findings.isEmpty }
    /// Whether further findings are ignored. A hostile file could otherwise cause more sentences than it has bytes.
    var isFull: Bool { findings.count >= FlowFileLimit.findings.maximum }

    /// Adds a finding, unless the list is full or already has this sentence at this position. `otherFile` is the path of a table
    /// file, if the finding is about one.
    func add(
        _ position: FilePosition, in otherFile: String? = nil, _ sentence: @autoclosure () -> String
    ) {
        guard !isFull else { return }
        let sentence = sentence()
        let file = otherFile ?? self.file
        let finding = FileFinding(file: file, position: position, sentence: sentence)
        guard findingsWithoutState.insert(finding).inserted else { return }
        let suffix = stateOfRow.map { " (in the state \($0))" } ?? ""
        findings.append(
            FileFinding(file: file, position: position, sentence: sentence + suffix))
    }

    /// Adds a finding for a limit that the file exceeds. The finding does not name a state.
    func add(
        _ position: FilePosition, in otherFile: String? = nil, exceeding limit: FlowFileLimit
    ) {
        let savedState = stateOfRow
        stateOfRow = nil
        add(position, in: otherFile, limit.sentence)
        stateOfRow = savedState
    }

    /// Adds a warning: a possible mistake, with which the file can be used. The list has room for as many warnings as mistakes.
    func warn(_ position: FilePosition, _ sentence: @autoclosure () -> String) {
        guard warnings.count < FlowFileLimit.findings.maximum else { return }
        let warning = FileFinding(file: file, position: position, sentence: sentence())
        if !warnings.contains(warning) { warnings.append(warning) }
    }

    /// The mistakes in the order of their positions: those of the flow file, and then those of each table file.
    var sorted: [FileFinding] {
        let files = [file] + findings.map(\.file).uniqued.filter { $0 != file }
        return files.flatMap { file in Self.sorted(findings.filter { $0.file == file }) }
    }
    /// The warnings in the order of their positions.
    var sortedWarnings: [FileFinding] { Self.sorted(warnings) }

    /// Returns findings in the order of their positions.
    static func sorted(_ findings: [FileFinding]) -> [FileFinding] {
        findings.enumerated()
            // The offset keeps the order in which findings at one position were added.
            .sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
            .map(\.element)
    }
}
