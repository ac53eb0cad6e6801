import Glibc
import Shell
import Support

/// Writes messages for the operator to standard error, one line each.
///
/// If standard error is connected to journald, each line begins with its priority; otherwise with the name of the program.
/// Lines have no time: journald adds the time, and on a terminal it is not needed.
/// All functions can be called from any thread.
package enum Log {
    /// How serious a message is, with the numbers of syslog(3), which journald reads; see sd-daemon(3).
    package enum Priority: Int {
        case error = 3
        case warning = 4
        case info = 6
    }

    /// Whether standard error is connected to journald. The environment variable has the device and the inode number of the
    /// stream to journald; see systemd.exec(5). These numbers are compared with the numbers of standard error, because a
    /// process that inherits the variable can have another standard error.
    private static let isJournald: Bool = {
        var status = stat()
        guard let stream = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else {
            return false
        }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }()

    private static let writer = LogWriter(STDERR_FILENO) { dropped in
        line(
            .warning,
            "\(CountText.write(dropped, "log line")) dropped: standard error was not read in time")
    }

    /// Logs a message. Never blocks.
    package static func write(_ priority: Priority, _ message: String) {
        writer.write(line(priority, message))
    }

    /// Writes a message at once, and may block: for a process that ends before it has begun to serve.
    package static func print(_ priority: Priority, _ message: String) {
        printError(String(decoding: line(priority, message), as: UTF8.self), end: "")
    }

    /// Waits until all messages are written, at most a second. Call it before the process ends.
    package static func finish() { writer.finish(within: .seconds(1)) }

    /// The bytes of a message's line, with the newline. Control characters in the message are escaped.
    private static func line(_ priority: Priority, _ message: String) -> [UInt8] {
        let message = TerminalText.escaped(message)
        return Array("\(isJournald ? "<\(priority.rawValue)>" : "gamed: ")\(message)\n".utf8)
    }
}

/// Limits how often a repeated message is logged, so that the message does not fill the log. The message is logged the 1st,
/// 2nd, 4th, 8th … time.
package struct LogThrottle {
    /// The number of occurrences of each kind. A kind is any text, such as the message itself.
    private var counts: [String: Int] = [:]
    private let limit: Int

    /// `limit` is the maximum number of kinds that are counted. When a further kind occurs, all counts restart.
    package init(limit: Int) { self.limit = limit }

    /// Counts an occurrence of a kind. Returns the number of occurrences of this kind, including this occurrence.
    package mutating func count(_ kind: String) -> Int {
        if counts.count >= limit, counts[kind] == nil { counts = [:] }
        counts[kind, default: 0] += 1
        return counts[kind, default: 0]
    }

    /// Whether the occurrence with this number is logged: it is a power of two.
    package static func isLogged(_ count: Int) -> Bool { count & (count - 1) == 0 }

    /// Counts a sentence as a kind of its own. Logs the sentence if `isLogged` is true for its count. From the second time on,
    /// the count is logged with the sentence.
    package mutating func write(_ priority: Log.Priority, _ sentence: String) {
        let count = count(sentence)
        guard Self.isLogged(count) else { return }
        Log.write(priority, "\(sentence)\(count == 1 ? "" : "; \(count) times so far")")
    }
}
