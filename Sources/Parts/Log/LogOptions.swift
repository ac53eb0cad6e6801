/// How the daemon logs.
package struct LogOptions: OptionSection {
    package var format = LogFormat.standard
    package var level = LogLevel.info

    package init() {}

    package static let table: [Option] = [
        Option(
            "log-level", value: "error|warning|info|debug", defaultValue: "info",
            "Log the lines of this level, and more serious ones.",
            details: "`debug` also logs each transition and each refused event.",
            reader: .choice { options, value in
                if let level = LogLevel(value) { options.log.level = level }
            }, reload: { $0.log.level = $1.log.level }),
        Option(
            "log-format", value: "text|json|journal",
            "Log lines of text or JSON on standard error, or entries for journald.",
            details: """
                The default is `journal` if journald reads standard error, as it does for a service of systemd, and otherwise `text`.
                """,
            reader: .choice { options, value in
                if let format = LogFormat(rawValue: value) { options.log.format = format }
            }),
    ]

    /// Sets the format and the level of the log of this process. Throws if journald is asked for and does not run.
    package func begin() throws(StartupError) {
        if format == .journal, !JournaldLog.isPresent {
            throw StartupError(
                why: "--log-format journal: journald does not listen at \(JournaldLog.socket)")
        }
        Log.begin(format, level)
    }
}

extension Options {
    package var log: LogOptions {
        get { self[LogOptions.self] }
        _modify { yield &self[LogOptions.self] }
    }
}
