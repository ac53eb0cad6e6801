package import GameFlow
import JSONCoding
package import Parts
import Sessions
import Shell
package import Timers

/// The settings of the flows, of the sessions that are opened at the start, and of their clock.
package struct SessionOptions: OptionSection {
    /// The name of the flow of session `main`. If no option names a flow, `useStandardFlow` sets this property.
    package var flow = SessionOptions.game
    /// Whether session `main` is opened at the start.
    package var opensMain = true
    /// Whether time advances only by a client's `advance`.
    package var isVirtual = false
    /// The zone of the times of day at which timers fire.
    package var zone = ClockZone.system
    /// The flow files of a directory; nil without one.
    package var flowFiles: FlowDirectory?
    /// The values of flows' settings, from `set` lines.
    package var settings: [FlowSettings] = []
    /// The sessions that are opened at the start, besides `main`.
    package var opened: [StartSession] = []

    package init() {}

    /// The default of `flow`, if the daemon has a flow of this name.
    private static let game = "game"

    /// Sets `flow` to its default for a program with these flows: `game` if it is among them, else the first flow.
    package mutating func useStandardFlow(of flows: [AnyFlow]) {
        let hasGame = flows.contains { $0.name == Self.game }
        flow = hasGame ? Self.game : flows.first?.name ?? Self.game
    }

    package static let table: [Option] = [
        Option(
            "set", value: SetDirective.form,
            "Set values of a flow for the sessions that are opened from now on.",
            reader: .line { options, line, file, flows throws(ConfigurationError) in
                options.sessions.settings.append(try SetDirective.read(line, in: file, flows))
            }, reload: { $0.sessions.settings = $1.sessions.settings }),
        Option(
            "session", value: SessionDirective.form,
            "Open this session at the start, and at SIGHUP if the line is new, unless it is open already.",
            details: "`clock` names the timer that the players' page shows in large digits.",
            reader: .line { options, line, file, flows throws(ConfigurationError) in
                let session = try SessionDirective.read(line, in: file, flows)
                guard !options.sessions.opened.contains(where: { $0.name == session.name }) else {
                    let first = file.lines.first {
                        $0.name.text == line.name.text
                            && $0.words.first?.text == line.words.first?.text
                    }
                    throw file.repetition(
                        line, line.words.first, of: "session \(session.name.text)", first: first)
                }
                options.sessions.opened.append(session)
            }, reload: { $0.sessions.opened = $1.sessions.opened }),
        Option(
            "flow", value: "NAME", defaultValue: game, "Open session `main` with this flow.",
            reader: .value { options, value, flows throws(UsageError) in
                options.sessions.flow = try OptionValue.flow(value, flows)
            }),
        Option(
            "flows", value: "DIR", "Load the flow files, `*.yaml`, of this directory.",
            details: """
                A file with a mistake is not loaded; the log and `gamectl flow list` show the mistake. At SIGHUP, the
                daemon reads all files again; if a file then has a mistake, the daemon changes no flow.
                """,
            // Only checks the value: `readFlowFiles` has already read the directory.
            reader: .location(after: [""]) { _, value, _ throws(UsageError) in
                _ = try OptionValue.path(value)
            },
            reload: { $0.sessions.flowFiles = $1.sessions.flowFiles }),
        Option(
            "no-main", "Open no session at the start.",
            reader: .flag { $0.sessions.opensMain = false }),
        Option(
            "clock", value: "real|virtual", defaultValue: "real",
            "Use the real clock, or a virtual one that moves only at a client's `advance`.",
            reader: .choice { $0.sessions.isVirtual = $1 == "virtual" }),
        Option(
            "zone", value: "NAME", "The time zone of timers that fire at a time of day.",
            details:
                "A name of the system's time zone database, such as Europe/Berlin. By default, it is the system's zone.",
            reader: .value { options, value, _ throws(UsageError) in
                guard let zone = ClockZone.named(value) else {
                    throw UsageError(
                        "no such time zone; expected a name such as Europe/Berlin or UTC")
                }
                options.sessions.zone = zone
            }),
    ]
}

extension Options {
    package var sessions: SessionOptions {
        get { self[SessionOptions.self] }
        _modify { yield &self[SessionOptions.self] }
    }
}
