import Glibc

/// The format of the log: the option `--log-format`.
package enum LogFormat: String, Sendable {
    /// Lines with the time and the level on standard error.
    case text
    /// JSON objects, one a line, on standard error.
    case json
    /// Entries with fields, for journald.
    case journal

    /// The format without the option: entries for journald if it reads standard error anyway, otherwise lines.
    package static var standard: LogFormat {
        isStandardErrorOfJournald && JournaldLog.isPresent ? .journal : .text
    }

    /// What writes the log in this format.
    package var destination: any LogDestination {
        switch self {
        case .text:
            LogLines(
                STDERR_FILENO, Self.isStandardErrorOfJournald ? .prioritized : .text)
        case .json: LogLines(STDERR_FILENO, .json)
        case .journal: JournaldLog()
        }
    }

    /// Whether journald reads standard error. The environment variable has the device and the inode number of the stream to
    /// journald; see systemd.exec(5). These numbers are compared with the numbers of standard error, because a process that
    /// inherits the variable can have another standard error.
    package static let isStandardErrorOfJournald: Bool = {
        var status = stat()
        guard let stream = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else {
            return false
        }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }()
}
