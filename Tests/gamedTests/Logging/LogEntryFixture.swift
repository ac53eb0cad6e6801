import Parts
import Timers

extension LogEntry {
    /// An entry with two fields, and with characters that a terminal would interpret.
    static let sample = LogEntry(
        .warning, .limited, "token:hall has reached\u{1B}[2J the \"limit\"\nrequests",
        [.source("token:hall"), .token("hall")], at: .zero + .milliseconds(1_795_870_123_456),
        CodePlace("Module/File.swift", 12, "report()"))
}
