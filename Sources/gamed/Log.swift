import Glibc
import Support

/// What an operator should know, on standard error, a line each.
///
/// With journald behind it, a line begins with its priority as sd-daemon(3) has it; the time is
/// journald's business there, and a person's terminal does not need it.
enum Log {
    enum Priority: Int {
        case error = 3
        case warning = 4
        case info = 6
    }

    /// Whether standard error is journald's, and not just inherited its variable: systemd.exec(5).
    private static let isJournal: Bool = {
        var status = stat()
        guard let stream = getenv("JOURNAL_STREAM"), fstat(2, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }()

    private static let writer = LogWriter(2) { dropped in
        line(.warning, "\(dropped) log lines were dropped: nobody read standard error")
    }

    /// Logs a message. Never blocks.
    static func write(_ priority: Priority, _ message: String) {
        writer.write(line(priority, message))
    }

    /// Waits up to a second for messages that are not written yet, before the process ends.
    static func finish() { writer.finish(within: .seconds(1)) }

    private static func line(_ priority: Priority, _ message: String) -> [UInt8] {
        let message = TerminalText.escaped(message)
        return Array("\(isJournal ? "<\(priority.rawValue)>" : "gamed: ")\(message)\n".utf8)
    }
}
