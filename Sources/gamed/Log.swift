import Glibc
import Shell

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

    private static let isJournal = getenv("JOURNAL_STREAM") != nil

    static func write(_ priority: Priority, _ message: String) {
        printError((isJournal ? "<\(priority.rawValue)>" : "gamed: ") + message)
    }
}
