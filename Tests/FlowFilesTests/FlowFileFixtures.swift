import GameFlow
import Testing

@testable import FlowFiles

/// Returns the sentences of a text's findings, each with its position: `3:5: …`. Those about a table file begin with its name.
func findings(_ text: String, tableFiles: [FlowSource.TableFile] = []) -> [String] {
    do throws(FlowFileError) {
        _ = try FlowFile(text: Array(text.utf8), file: "f.yaml", tableFiles: tableFiles)
        return []
    } catch {
        return error.findings.map { finding in
            let isOfTable = finding.file != "f.yaml"
            return isOfTable
                ? finding.description : String(finding.description.dropFirst("f.yaml:".count))
        }
    }
}

/// Returns the flow file of a text that has no mistake.
func flowFile(_ text: String) throws -> FlowFile {
    try FlowFile(text: Array(text.utf8), file: "f.yaml")
}

/// Returns the text of a flow with the events `go` and `stop`, the effect `beep`, and the states `a` and `b`. `lines` are the
/// contents of `a`, and `more` are declarations before the states.
func flowText(_ lines: String, more: String = "") -> String {
    """
    flow: f
    start: a
    effects: [beep]
    events:
      go: {n: integer 0..9, word: text}
      stop:
    \(more)states:
      a:
    \(lines.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }.joined(separator: "\n"))
      b:
        data: {n: integer}
        on: {stop: a}
    """
}
