import Glibc
import Support
import Synchronization

/// The log of the process, for its operator: entries with a level, a kind and fields.
///
/// Entries go to journald if it reads standard error, and to standard error otherwise; `LogFormat` has the formats. All functions
/// can be called from any thread.
package enum Log {
    /// Entries above this level are not written.
    private static let levelNumber = Atomic(LogLevel.info.rawValue)
    private static let writer = LogWriter(LogFormat.standard.destination) { dropped in
        let message =
            "\(CountText.write(dropped, "log line")) dropped: the log was not read in time"
        return LogEntry(
            .warning, .log, message, at: WallClock.now,
            LogEntry.CodePlace(#fileID, #line, #function))
    }
    private static let rate = Mutex(LogRate())

    /// Entries that are less serious than this level are not written.
    package static var level: LogLevel {
        get { LogLevel(rawValue: levelNumber.load(ordering: .relaxed)) ?? .info }
        set { levelNumber.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// Sets the format and the level.
    package static func begin(_ format: LogFormat, _ level: LogLevel) {
        self.level = level
        writer.setDestination(format.destination)
    }

    /// Logs an entry. Never blocks.
    package static func write(
        _ level: LogLevel, _ kind: LogKind, _ message: String, _ fields: [LogField] = [],
        file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function
    ) {
        write(level, kind, message, fields, LogEntry.CodePlace(file, line, function))
    }

    /// Logs an entry from a place that the caller names. Never blocks.
    static func write(
        _ level: LogLevel, _ kind: LogKind, _ message: String, _ fields: [LogField],
        _ place: LogEntry.CodePlace
    ) {
        guard level.isLogged(at: self.level) else { return }
        let decision = rate.withLock { $0.count(level, kind, at: LogThrottle.systemTime()) }
        switch decision {
        case .write(let leftOut):
            if leftOut > 0 {
                let lines = CountText.write(leftOut, "line")
                add(.warning, .log, "\(lines) of the kind \(kind.name) were left out", [], place)
            }
            add(level, kind, message, fields, place)
        case .leaveOutFirst:
            let limit = LogRate.linesPerMinute
            add(
                .warning, .log,
                "more than \(limit) lines of the kind \(kind.name) in a minute: the others of this minute are left out",
                [], place)
        case .leaveOut: break
        }
    }

    private static func add(
        _ level: LogLevel, _ kind: LogKind, _ message: String, _ fields: [LogField],
        _ place: LogEntry.CodePlace
    ) {
        let entry = LogEntry(level, kind, message, fields, at: WallClock.now, place)
        writer.write(entry)
    }

    /// Writes a message to standard error at once, and may block: for a process that ends before it has begun to serve.
    package static func print(
        _ level: LogLevel, _ message: String,
        file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function
    ) {
        let place = LogEntry.CodePlace(file, line, function)
        let entry = LogEntry(level, .start, message, at: WallClock.now, place)
        let form: LogLineForm =
            LogFormat.isStandardErrorOfJournald ? .prioritized : .plain
        LogLines(STDERR_FILENO, form).write(entry)
    }

    /// Waits until all entries are written, at most a second. Call it before the process ends.
    package static func finish() { writer.finish(within: .seconds(1)) }
}
