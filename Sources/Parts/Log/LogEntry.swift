package import Timers

/// A line of the log, before it is written in one of the formats.
package struct LogEntry: Sendable {
    /// The place in the source code that logs the line.
    package struct CodePlace: Sendable {
        package let file: StaticString
        package let line: UInt
        package let function: StaticString

        package init(_ file: StaticString, _ line: UInt, _ function: StaticString) {
            (self.file, self.line, self.function) = (file, line, function)
        }
    }

    package let level: LogLevel
    package let kind: LogKind
    package let message: String
    package let fields: [LogField]
    /// When the line was logged, on a clock whose zero is 1970-01-01 in UTC.
    package let time: Instant
    package let place: CodePlace

    package init(
        _ level: LogLevel, _ kind: LogKind, _ message: String, _ fields: [LogField] = [],
        at time: Instant, _ place: CodePlace
    ) {
        (self.level, self.kind, self.message, self.fields) = (level, kind, message, fields)
        (self.time, self.place) = (time, place)
    }

    /// The number of bytes of the texts.
    package var size: Int { fields.reduce(message.utf8.count) { $0 + $1.value.utf8.count } }
}
