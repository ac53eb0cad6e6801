import Glibc
package import Timers

/// Limits how often a repeated line is logged, so that it does not fill the log. The line is logged the 1st, 2nd, 4th, 8th …
/// time. After a pause the next one is the 1st again: a fault that comes back is shown at once.
package struct LogThrottle {
    /// How long a subject must not occur, so that it is logged as new.
    package static let quietTime = Duration.seconds(3600)

    private struct Occurrences {
        var count: Int
        var latest: Instant
    }

    /// The occurrences of each subject. A subject is any text, such as the line itself, or a kind with a principal.
    private var occurrences: [String: Occurrences] = [:]
    private let limit: Int
    private let now: () -> Instant

    /// `limit` is the maximum number of subjects that are counted. When a further subject occurs, all counts restart. `now` is the
    /// present instant of a clock that does not go back.
    package init(limit: Int, now: @escaping () -> Instant = LogThrottle.systemTime) {
        (self.limit, self.now) = (limit, now)
    }

    /// Counts an occurrence of a subject. Returns the number of its occurrences, including this one.
    package mutating func count(_ subject: String) -> Int {
        let now = now()
        if occurrences.count >= limit, occurrences[subject] == nil { occurrences = [:] }
        var found = occurrences[subject] ?? Occurrences(count: 0, latest: now)
        if now - found.latest >= Self.quietTime { found.count = 0 }
        found.count += 1
        found.latest = now
        occurrences[subject] = found
        return found.count
    }

    /// Whether the occurrence with this number is logged: it is a power of two.
    package static func isLogged(_ count: Int) -> Bool { count & (count - 1) == 0 }

    /// Counts a sentence as a subject of its own. Logs the sentence if `isLogged` is true for its count. From the second time on,
    /// the count is logged with the sentence.
    package mutating func write(
        _ level: LogLevel, _ kind: LogKind, _ sentence: String, _ fields: [LogField] = [],
        file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function
    ) {
        let place = LogEntry.CodePlace(file, line, function)
        write(level, kind, of: sentence, sentence, fields, place: place)
    }

    /// As `write`, for a sentence that is different each time. `subject` is what is counted, such as the principal; the same
    /// subject of another kind is another one.
    package mutating func write(
        _ level: LogLevel, _ kind: LogKind, of subject: String,
        _ sentence: @autoclosure () -> String, _ fields: @autoclosure () -> [LogField] = [],
        file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function
    ) {
        let place = LogEntry.CodePlace(file, line, function)
        write(level, kind, of: "\(kind.name) \(subject)", sentence(), fields(), place: place)
    }

    private mutating func write(
        _ level: LogLevel, _ kind: LogKind, of subject: String,
        _ sentence: @autoclosure () -> String, _ fields: @autoclosure () -> [LogField],
        place: LogEntry.CodePlace
    ) {
        let count = count(subject)
        guard Self.isLogged(count) else { return }
        let times = count == 1 ? "" : "; \(count) times so far"
        Log.write(level, kind, "\(sentence())\(times)", fields(), place)
    }

    /// The time since the start of the machine. Wraps CLOCK_BOOTTIME.
    package static func systemTime() -> Instant {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .zero + .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
}
