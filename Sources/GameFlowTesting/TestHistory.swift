internal import Testing
internal import Timers

/// What happened to a machine in a test, line by line after the virtual time.
struct TestHistory {
    private(set) var lines: [String] = []

    mutating func record(_ line: String, at instant: Instant) {
        lines.append("\(instant - .zero)  \(line)")
    }

    /// Records a failed expectation as an issue: the sentence, followed by the history.
    func fail(_ sentence: String, _ location: SourceLocation) {
        let text = ([sentence] + lines.map { "  \($0)" }).joined(separator: "\n")
        Issue.record(Comment(rawValue: text), sourceLocation: location)
    }
}
