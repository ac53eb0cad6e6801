import Glibc
import Support

/// Writes messages for the operator to standard error, one line each.
///
/// If standard error is connected to journald, each line begins with its priority, see
/// sd-daemon(3). Lines have no time: journald adds it, and on a terminal it is not needed.
enum Log {
    enum Priority: Int {
        case error = 3
        case warning = 4
        case info = 6
    }

    /// Whether standard error is connected to journald. The environment variable names the stream to journald. A process whose
    /// standard error is another file can inherit the variable, so the stream is compared with standard error; see
    /// systemd.exec(5).
    private static let isJournal: Bool = {
        var status = stat()
        guard let stream = getenv("JOURNAL_STREAM"), fstat(2, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }()

    private static let writer = LogWriter(2) { dropped in
        line(.warning, "\(dropped) log lines were dropped: standard error was not read in time")
    }

    /// Logs a message. Never blocks.
    static func write(_ priority: Priority, _ message: String) {
        writer.write(line(priority, message))
    }

    /// Waits up to a second until waiting messages are written; call it before the process ends.
    static func finish() { writer.finish(within: .seconds(1)) }

    private static func line(_ priority: Priority, _ message: String) -> [UInt8] {
        let message = TerminalText.escaped(message)
        return Array("\(isJournal ? "<\(priority.rawValue)>" : "gamed: ")\(message)\n".utf8)
    }
}

/// Counts occurrences so that frequent ones do not fill the log: each kind is logged the first
/// time, and then the 2nd, 4th, 8th … time.
struct LogThrottle {
    private var counts: [String: Int] = [:]
    private let limit: Int

    /// `limit` is the number of kinds that are counted separately; beyond it all counts restart.
    init(limit: Int) { self.limit = limit }

    /// Counts an occurrence of a kind. Returns the number of its occurrences, including this one.
    mutating func count(_ kind: String) -> Int {
        if counts.count >= limit, counts[kind] == nil { counts = [:] }
        counts[kind, default: 0] += 1
        return counts[kind, default: 0]
    }

    /// Whether the occurrence with this number is logged: it is a power of two.
    static func isLogged(_ count: Int) -> Bool { count & (count - 1) == 0 }

    /// Counts a sentence, and logs it if `isLogged` says so; from the second time on with the number of occurrences.
    mutating func write(_ priority: Log.Priority, _ sentence: String) {
        let count = count(sentence)
        guard Self.isLogged(count) else { return }
        Log.write(priority, "\(sentence)\(count == 1 ? "" : "; \(count) times so far")")
    }
}
