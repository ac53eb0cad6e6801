package import Timers

/// Limits the lines of each kind in a minute, so that many clients together cannot fill the log. Lines of the level `debug`, which
/// an operator has asked for, are not limited.
package struct LogRate {
    /// The maximum number of lines of one kind in a minute.
    package static let linesPerMinute = 1000
    private static let window = Duration.seconds(60)

    /// What is done with a line.
    package enum Decision: Equatable {
        /// It is written. `leftOut` lines of its kind were left out in an earlier minute.
        case write(leftOut: Int)
        /// It is the first line in this minute that is left out; a line says so.
        case leaveOutFirst
        case leaveOut
    }

    private struct Count {
        var start: Instant
        var lines = 0
    }

    private var counts: [LogKind: Count] = [:]

    package init() {}

    /// Counts a line of a kind. `now` is the present instant of a clock that does not go back.
    package mutating func count(_ level: LogLevel, _ kind: LogKind, at now: Instant) -> Decision {
        if level == .debug { return .write(leftOut: 0) }
        var count = counts[kind] ?? Count(start: now)
        defer { counts[kind] = count }
        var leftOut = 0
        if now - count.start >= Self.window {
            leftOut = max(0, count.lines - Self.linesPerMinute)
            count = Count(start: now)
        }
        count.lines += 1
        if count.lines <= Self.linesPerMinute { return .write(leftOut: leftOut) }
        return count.lines == Self.linesPerMinute + 1 ? .leaveOutFirst : .leaveOut
    }
}
