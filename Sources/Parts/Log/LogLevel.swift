/// How serious a line of the log is, with the numbers of syslog(3), which journald reads; see sd-daemon(3).
package enum LogLevel: Int, CaseIterable, Sendable {
    case error = 3
    case warning = 4
    case info = 6
    /// Each transition and each refused event.
    case debug = 7

    /// The level with this name, such as `warning`; nil if no level has it.
    package init?(_ name: String) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// The name, as in the option `--log-level` and in the lines.
    package var name: String { "\(self)" }

    /// Whether a log of the level `limit` has lines of this level.
    package func isLogged(at limit: LogLevel) -> Bool { rawValue <= limit.rawValue }
}
