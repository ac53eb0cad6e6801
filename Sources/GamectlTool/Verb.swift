import GameFlow
import RPC
import Sessions
import Shell

/// A verb of the command line: how it is read, and its text for the help, the manual and the shell completions.
///
/// Each method of the daemon is a verb, derived from its row in `Method`. To add a verb that is not a method, add it to
/// `flowVerbs` or `journalVerbs`.
struct Verb: Sendable {
    /// What a verb works on. The help lists the verbs by group.
    enum Group: CaseIterable {
        case daemon, flows, journal

        var title: String {
            switch self {
            case .daemon: "Verbs that send a request to the daemon"
            case .flows: "Verbs that analyze flows, without a daemon"
            case .journal:
                "Verbs that read a backup, or the journal of a stopped daemon"
            }
        }
    }

    /// One form of the verb, as the help and the manual show it.
    struct Form: Sendable {
        /// The words of the form. Capitals are placeholders; brackets enclose optional parts.
        let text: String
        /// What the form does, in one sentence.
        let sentence: String
        /// Further sentences, for the manual only; may be empty.
        let details: String

        init(_ text: String, _ sentence: String, details: String = "") {
            (self.text, self.sentence, self.details) = (text, sentence, details)
        }

        /// Whether the form begins with these words, such as `journal check`.
        func begins(with words: String) -> Bool { text == words || text.hasPrefix("\(words) ") }
    }

    /// The words that may follow a verb, whatever the daemon's state. `CompletionWords` adds those that depend on it.
    enum FollowingWords {
        /// The names of the flows.
        case flows
        /// These words, which do not depend on the program's flows.
        case fixed([String])
    }

    let name: String
    /// Nil for a method of the daemon that cannot be used as a verb. Its name is neither shown nor suggested.
    let group: Group?
    let forms: [Form]
    let completions: FollowingWords
    /// Whether a file name may follow the verb.
    let takesFiles: Bool
    /// Makes the command from the parsed command line, whose first word is the verb, and from the program's flows. Throws
    /// `usage` for a mistake in the command line.
    let read: @Sendable (LongOptions, [AnyFlow]) throws(CommandError) -> Command

    private init(
        _ name: String, _ group: Group?, _ forms: [Form], completions: FollowingWords = .fixed([]),
        takesFiles: Bool = false,
        read: @escaping @Sendable (LongOptions, [AnyFlow]) throws(CommandError) -> Command
    ) {
        (self.name, self.group, self.forms) = (name, group, forms)
        (self.completions, self.takesFiles, self.read) = (completions, takesFiles, read)
    }

    /// Every verb, in the order of the help.
    static let table: [Verb] = {
        let gamectlVerbs = [follow, top, wait, doctor] + flowVerbs + journalVerbs
        // The verb `graph` of gamectl replaces the method of that name.
        let methods = Method.allCases.filter { method in
            !gamectlVerbs.contains { $0.name == method.name }
        }
        return methods.map { request($0) } + TextRequest.shortActions.map { shortAction($0) }
            + gamectlVerbs
    }()

    /// `doctor`.
    private static let doctor = Verb(
        "doctor", .daemon,
        [
            Form(
                "doctor [--config FILE]",
                "Examine the daemon and its machine, and say what is wrong and what helps.",
                details: """
                    The socket, the rights of the caller, the unit of systemd, the configuration, the disk, the clock, the versions, the
                    certificates, the devices, the database and the outputs. Each line begins with `ok`, `warning`, `fault` or `skipped`;
                    a remedy follows. The exit status is 6 if there is a fault. It works without a daemon, too; run it as root to check
                    everything.
                    """)
        ]
    ) { line, _ throws(CommandError) in
        let settings = try Command.settings(line)
        guard line.words.count == 1 else { throw .usage("doctor takes only options") }
        return .doctor(DoctorCommand(settings: settings, configuration: line.value("config")))
    }

    // MARK: verbs that send a request to the daemon

    /// The verb of a method. Each case is a verb whose forms or options differ from what the method's row says.
    private static func request(_ method: Method) -> Verb {
        switch method {
        case .unwatch:
            return Verb(method.name, nil, []) { _, _ throws(CommandError) in
                throw .usage("unwatch is not a verb; interrupt 'gamectl watch' instead")
            }
        case .prune:
            return Verb(method.name, nil, []) { _, _ throws(CommandError) in
                throw .usage("prune is not a verb; use 'gamectl journal prune --yes'")
            }
        case .watch:
            return Verb(
                method.name, .daemon,
                [
                    Form(
                        "watch [topics=changes,beats,refusals] [since=SEQ] [@NAME|@*]",
                        "Follow changes until interrupted, or until the session is closed.",
                        details: """
                            `@*` follows all sessions. `since` is a number or a cursor. If the connection is lost, gamectl
                            connects again and continues after the last change received.
                            """)
                ]
            ) { line, _ throws(CommandError) in
                let (request, settings) = try Command.request(line)
                return .watch(try WatchOptions(request), settings)
            }
        case .sources:
            return Verb(
                method.name, .daemon,
                [
                    Form(
                        "sources [NAME] [--watch]", method.sentence,
                        details: """
                            With `--watch`, each input that no `map` line matches is printed when it arrives, until gamectl
                            is interrupted: so an operator finds out what a device sends.
                            """)
                ]
            ) { line, _ throws(CommandError) in
                let (request, settings) = try Command.request(line)
                guard line.has("watch") else { return .request(request, settings) }
                return .watch(WatchOptions(inputsOf: request.params["name"]?.text), settings)
            }
        case .config:
            return Verb(
                method.name, .daemon,
                [
                    Form("config", method.sentence),
                    Form(
                        "config --config FILE",
                        "Show the same for a daemon that would be started with this configuration.",
                        details: "This needs the program gamed, and no running daemon."),
                ]
            ) { line, _ throws(CommandError) in
                let (request, settings) = try Command.request(line)
                guard let file = line.value("config") else { return .request(request, settings) }
                return .config(ConfigCommand(file: file, isJSON: settings.isJSON))
            }
        case .describe: return request(method, completions: .flows)
        case .backup:
            return request(
                method,
                Form(
                    "backup PATH",
                    "Copy the running daemon's journal and token hashes to a file, and verify the copy.",
                    details: """
                        PATH must not exist and must not be inside the state directory. gamectl creates the file, and the
                        daemon writes into it. The timeout is an hour, unless `--timeout` is given. With `onServer=true`
                        before the path, the daemon creates the file, and the path must be absolute.
                        """), takesFiles: true
            ) { (request) throws(CommandError) in
                guard request.params["to"] != nil else {
                    throw .usage("backup: PATH is missing; the backup becomes a new file there")
                }
            }
        case .advance:
            return request(
                method, Form("advance D", "Advance the virtual clock by a duration."),
                Form("advance toNext", "Advance it to the next deadline of a timer."),
                completions: .fixed(["toNext"]))
        case .timer:
            return request(
                method,
                Form(
                    "timer FIRES \(choices(TimerOperation.Action.self)) [by=D] [to=D]",
                    "Operate the timer that sends the signal FIRES; for pause and resume, `*` means all timers."
                ))
        case .token:
            return Verb(
                method.name, .daemon,
                [
                    Form(
                        "token add|remove NAME [--url]",
                        "Create a token for remote programs and browsers and print it once, or remove one.",
                        details: """
                            Removing a token closes the connections that use it. The daemon's rules say what a token allows;
                            see gamed(8). With `--url` the token may be in the URL of `/v1/send`, and is valid
                            only there.
                            """), Form("token list", "List the names of the tokens."),
                ],
                completions: .fixed(TokenAction.allCases.map(\.rawValue))
            ) { line, _ throws(CommandError) in
                let (request, settings) = try Command.request(line)
                let params = line.has("url") ? [Member("url", .bool(true))] : []
                return .request(Request(method, request.params + params), settings)
            }
        case .invite:
            return Verb(
                method.name, .daemon,
                [
                    Form(
                        "invite SESSION [--as NAME] [--role observe|play] [--event GLOB] [--once] [--opens players|wall|overlay] [--for D] [NAME=VALUE …]",
                        method.sentence,
                        details: """
                            On a terminal the QR code is drawn. A guest who joins may play or observe this session only. With
                            `--as` and with `NAME=VALUE` the arguments of events are fixed: with `--as Ann` a tablet can
                            buzz as Ann only, and its page does not ask for the name. With `--opens wall` or `--opens
                            overlay` the link opens the page for a wall, or the overlay for a program such as OBS, and the
                            guest may only observe unless `--role` says otherwise. `gamectl token remove` with the
                            printed name ends the invitation and closes the connections of those who joined.
                            """)
                ]
            ) { line, _ throws(CommandError) in
                let (request, settings) = try Command.request(line)
                let texts = ["as", "role", "event", "opens", "for"].compactMap { name in
                    line.value(name).map { Member(name, $0) }
                }
                let once = line.has("once") ? [Member("once", .bool(true))] : []
                return .request(Request(method, request.params + texts + once), settings)
            }
        case .bluetooth:
            return request(
                method,
                Form(
                    "bluetooth",
                    "Show the Bluetooth controller and its devices: connection, signal, battery and last event."
                ),
                Form(
                    "bluetooth \(choices(SimulatedDeviceAction.Action.self)) DEVICE [BUTTON]",
                    "Operate a simulated device.",
                    details: """
                        Press a button, by default the first; carry the device out of range and back; or let it sleep.
                        """),
                completions: .fixed(SimulatedDeviceAction.Action.allCases.map(\.rawValue)))
        case .send:
            return request(
                method,
                Form(
                    "send [id=ID] [ageMs=N] [entry=N] EVENT [NAME=VALUE …]",
                    method.sentence,
                    details: """
                        A repeated request with the same `id` gets the first reply and changes nothing; `open`, `close`,
                        `timer` and `goto` take an `id`, too. `entry` is the number of an entry, as sessions, changes and
                        effects contain it. If the session has entered another state since that entry, or the same state
                        again, the event is refused as stale. `timer` and `goto` take `entry`, too.
                        """))
        case .stats:
            return request(
                method,
                Form(
                    "stats [since=WHEN] [without=LABEL] [FLOW]", method.sentence,
                    details: """
                        WHEN is a duration before now (`7d`), a date (`2026-11-20` or `2026-11-20T18:30`, with a Z in UTC), or
                        milliseconds of the daemon's clock. LABEL is the name of a label: games that have it, for example
                        test runs, are left out. Times are the median and the 90th percentile of the visits of a state. The
                        timeout is an hour, unless `--timeout` is given.
                        """), completions: .flows)
        case .leaderboard:
            return request(
                method,
                Form(
                    "leaderboard [by=DATUM] [state=STATE] [during=STATES] [since=WHEN] [without=LABEL] [limit=N] FLOW",
                    method.sentence,
                    details: """
                        Games are sorted by time, the shortest first. With `by=DATUM` they are sorted by a datum of the last
                        state, the largest first. The datum is a number, or a tally: a number for each name, and then each
                        name has a row of its own. A game ends in a final state, or in the one given with `state=`. Its time
                        is the time in all states but the first one, or in those given with `during=`, separated by commas. WHEN and LABEL are
                        as for `stats`. The page `/leaderboard/FLOW` shows the same to an audience.
                        """), completions: .flows)
        // Calls the function below, which makes the form from the method's row. Without `completions`, the call would mean this
        // function.
        default: return request(method, completions: .fixed([]))
        }
    }

    /// The raw values of an enum as alternatives in a form: `pause|resume|restart`.
    private static func choices<Choice>(_ type: Choice.Type) -> String
    where Choice: CaseIterable & RawRepresentable<String> {
        type.allCases.map(\.rawValue).joined(separator: "|")
    }

    /// A verb that sends one request of `method` and has no options of its own. If no forms are given, the form is made from
    /// the method's parameters.
    private static func request(
        _ method: Method, _ forms: Form..., completions: FollowingWords = .fixed([]),
        takesFiles: Bool = false,
        check: @escaping @Sendable (Request) throws(CommandError) -> Void = { _ in }
    ) -> Verb {
        let standard = Form(method.usage, method.sentence)
        return Verb(
            method.name, .daemon, forms.isEmpty ? [standard] : forms, completions: completions,
            takesFiles: takesFiles
        ) { line, _ throws(CommandError) in
            let (request, settings) = try Command.request(line)
            try check(request)
            return .request(request, settings)
        }
    }

    /// The verb of an action on timers that needs no method's name.
    private static func shortAction(_ action: TimerOperation.Action) -> Verb {
        let all =
            action == .pause
            ? "Pause all running timers of a session, or the timer that sends the signal FIRES; with `@*`, of all sessions."
            : "Resume the timers that `pause` of all has stopped, or the timer that sends the signal FIRES; with `@*`, of all sessions."
        let details =
            action == .pause
            ? ""
            : "If no timer is stopped by `pause` of all, those are resumed that were paused by their names. What the flow has paused stays paused."
        return Verb(
            action.rawValue, .daemon,
            [Form("\(action.rawValue) [FIRES] [@NAME|@*]", all, details: details)]
        ) { line, _ throws(CommandError) in
            let (request, settings) = try Command.request(line)
            return .request(request, settings)
        }
    }

    private static let follow = Verb(
        "follow", .daemon,
        [
            Form(
                "follow [@NAME]",
                "Show a session's state and clock in two lines, until interrupted or until the session is closed.",
                details: """
                    On a terminal, the lines are rewritten. In a file or a pipe, each new state is printed with its clock.
                    """)
        ]
    ) { line, _ throws(CommandError) in
        let settings = try Command.settings(line)
        let sessions = line.words.dropFirst()
        if settings.isJSON { throw .usage("follow has no JSON; use 'gamectl --json watch'") }
        guard sessions.count <= 1, sessions.allSatisfy({ $0.hasPrefix("@") && $0 != "@*" }) else {
            throw .usage("follow takes only the name of one session, such as @room-1")
        }
        let session = sessions.first.map { String($0.dropFirst()) } ?? settings.session
        return .watch(WatchOptions(following: session), settings)
    }

    private static let top = Verb(
        "top", .daemon,
        [
            Form(
                "top", "Show the sessions on the whole terminal, and send events by keys.",
                details: """
                    The sessions, the clocks of one of them, the events that it accepts with their keys, its log, and the alerts.
                    The arrow keys choose the session. A key in brackets sends its event; arguments and confirmations are asked
                    for. `U` undoes a step, `P` pauses or resumes all timers, `M` shows a message, `A` acknowledges an alert, and
                    `q` leaves.
                    """)
        ]
    ) { line, _ throws(CommandError) in
        let settings = try Command.settings(line)
        if settings.isJSON { throw .usage("top has no JSON; use 'gamectl --json watch'") }
        guard line.words.count == 1 else { throw .usage("top takes no words") }
        return .top(settings)
    }

    private static let wait = Verb(
        "wait", .daemon,
        [
            Form(
                "wait --state NAME [--within D]",
                "Wait until the session is in this state.")
        ]
    ) { line, _ throws(CommandError) in
        let settings = try Command.settings(line)
        return .wait(try WaitOptions(line, settings), settings)
    }

    // MARK: verbs without a daemon

    /// A verb that analyzes flows. `options` reads the parsed command line; its second parameter contains the program's flows.
    private static func analysis(
        _ name: String, _ forms: Form..., completions: FollowingWords = .flows,
        takesFiles: Bool = false,
        options:
            @escaping @Sendable (LongOptions, [AnyFlow]) throws(CommandError) -> AnalysisOptions
    ) -> Verb {
        Verb(name, .flows, forms, completions: completions, takesFiles: takesFiles) {
            line, flows throws(CommandError) in
            .analyze(try options(line, flows), isJSON: line.has("json"))
        }
    }

    /// The verbs of the group `flows`. Those that analyze flows are made by `analysis`.
    private static let flowVerbs = [
        analysis(
            "lint",
            Form(
                "lint [--moves N|all] [--complete] [FLOW|FILE]",
                "Show what each state takes and refuses, and the defects of the flow.",
                details: """
                    A word that contains `/` or ends in `.yaml` is a flow file, here and for `races`, `paths`, `graph`
                    and `replay --flow`.
                    lint tries samples of arguments and data, waits for each timer, and waits for half of a countdown's
                    time. Of a flow file it tries each value of a declared range, as long as an event has at most 256
                    combinations of arguments. A finding is given only if it is proved. The findings are `mistake` (an
                    error that makes sessions of the flow unreliable; a flow with a mistake is not checked further),
                    `warning` (a possible mistake in a flow file), `unreachableState` (no path leads to the state),
                    `deadEvent` (no state takes the event), `deadEnd` (a state has no exit and no timer, and is not
                    final), `unhandledSignal` (a state refuses the signal of its own timer), `unsentSignal` (no timer
                    sends the signal), `idleRow` (a state takes a signal that none of its timers sends), `hopelessTimer`
                    (another timer always fires first), `instantTimer` (a countdown of zero), `finalTimer` (a final state
                    has a timer), `lostAtRestart` (a state can be reached with data from which it cannot be restored, so
                    that a restart loses the session), `missingRow` (a transition that `describe` and `graph` do not show,
                    because it happens with no sample of the state's data), `endlessPosts` (an event posts events without
                    end), `brokenInvariant` and `incomplete` (what was not searched). `incomplete` alone exits with 0.
                    """), takesFiles: true
        ) { line, flows throws(CommandError) in
            .lint(flow: try AnalysisOptions.optionalFlow(line, flows), try SearchEffort(line))
        },
        analysis(
            "test",
            Form(
                "test [--coverage] FILE…", "Run scenario files in virtual time and print TAP 14.",
                details: """
                    `-` is standard input. `--coverage` also shows which transitions, timers and refusals were exercised.
                    """), completions: .fixed([]), takesFiles: true
        ) { line, _ throws(CommandError) in try AnalysisOptions.test(line) },
        analysis(
            "races",
            Form(
                "races [--moves N|all] [--complete] [FLOW|FILE]",
                "Show where the order of timers and events at one instant changes the outcome.",
                details:
                    "The order that is shown first is the one in which the daemon handles the timers and events. Also checks the flow's invariants; the exit status is 6 if one does not hold."
            ), takesFiles: true
        ) { line, flows throws(CommandError) in
            .races(flow: try AnalysisOptions.optionalFlow(line, flows), try SearchEffort(line))
        },
        analysis(
            "paths",
            Form(
                "paths [--to STATE] [--moves N|all] [--complete] [FLOW|FILE]",
                "Show the shortest paths to the flow's states, in steps and in time."),
            Form(
                "paths --scenario [--moves N|all] [--complete] FLOW|FILE",
                "Write scenarios that take every transition of the flow."), takesFiles: true
        ) { line, flows throws(CommandError) in
            try AnalysisOptions.paths(line, flows)
        },
        analysis(
            "graph",
            Form(
                "graph [--format FORMAT] [FLOW|FILE]", "Draw the flow's diagram.",
                details: """
                    The output is `mermaid`, `dot` or `scxml`, or an `svg` or `png` drawn by Graphviz. The default flow is
                    `game`.
                    """), takesFiles: true
        ) { line, flows throws(CommandError) in
            try AnalysisOptions.graph(line, flows)
        },
        Verb(
            "flow", .flows,
            [
                Form(
                    "flow check FILE…", "Check flow files and show all mistakes in them.",
                    details: """
                        Each mistake is printed on standard error as `FILE:LINE:COLUMN: sentence`, and the exit status is 2.
                        With `--json`, standard output has one object for each file, with its `findings`.
                        """),
                Form(
                    "flow new NAME",
                    "Write a commented flow file to start from to standard output.",
                    details: "For example: `gamectl flow new vault >vault.yaml`."),
                Form(
                    "flow schema", "Write the JSON Schema of flow files to standard output.",
                    details: """
                        Editors with a YAML language server use it for completion, and show mistakes while a file is
                        written: store it as `flow.schema.json` beside the file, and begin the file with
                        `# yaml-language-server: $schema=flow.schema.json`.
                        """),
                Form(
                    "flow list",
                    "Show the flows of the running daemon, their versions, and mistakes in its flow files."
                ),
                Form(
                    "flow move @NAME",
                    "Move a session of the running daemon to the newest version of its flow.",
                    details: """
                        Its state, data and timers must fit there. Otherwise nothing changes, and the error names what does
                        not fit.
                        """),
            ], completions: .fixed(FlowFileOptions.verbs), takesFiles: true
        ) { line, flows throws(CommandError) in
            switch line.words.dropFirst().first {
            case "list": return try Command.request("flows", line)
            case "move": return try Command.request("move", line)
            default: break
            }
            return .flowFile(try FlowFileOptions(line, flows), isJSON: line.has("json"))
        },
    ]

    private static let journalVerbs = [
        Verb(
            "replay", .journal,
            [
                Form(
                    "replay JOURNAL",
                    "Run a journal again in virtual time, and show the first difference.",
                    details: """
                        Recorded requests are sent again, and timers fire by themselves. If a result differs from its
                        recorded row, both are shown.
                        """),
                Form(
                    "replay --flow FLOW|FILE JOURNAL",
                    "Run a journal with another flow, and show what would have differed.",
                    details: """
                        Only requests and their times are taken from the journal. The sessions of a flow of that name are
                        tried; if there are none, all are. Results are compared as clients see them. For each session that
                        differs, the first difference and both final states are shown. Refused events are tried, too, if the
                        daemon ran with `--audit refusals`.
                        """),
            ], takesFiles: true
        ) { line, flows throws(CommandError) in
            .journal(try JournalOptions.replay(line, flows), isJSON: line.has("json"))
        },
        Verb(
            "journal", .journal,
            [
                Form(
                    "journal check JOURNAL", "Check that a journal is complete and intact.",
                    details: """
                        The check covers each row's checksum and its link to the session's previous row, the SQLite file,
                        rows missing at the end, and whether the flows can restore each session.
                        """),
                Form(
                    "journal convert [--check] DIR",
                    "Convert a journal to the newest version. The daemon converts version 2 itself.",
                    details: """
                        The old file is kept beside it, as `journal.db.v1` or `journal.db.v2`. With `--check` gamectl only
                        shows what would be done, and how much space it needs. The daemon must not be running.
                        """),
                Form(
                    "journal copy DIR URL",
                    "Copy everything from a state directory to a database, or from URL to DIR.",
                    details: """
                        The sessions, their request ids and their timers continue in the copy. No daemon may use the directory
                        or the database meanwhile. A target database must be prepared and have no rows; a target directory
                        must have no journal. Tokens are copied, too.
                        """),
                Form(
                    "journal export [--session NAME] JOURNAL",
                    "Print the rows as JSON lines, oldest first.",
                    details: """
                        Damaged rows are included, with `"whole":false`. For a body that cannot be read, `unreadable` has
                        the reason and `raw` the bytes in hexadecimal digits.
                        """),
                Form(
                    "journal forget --state-dir DIR [--yes] [--dry-run] SESSION",
                    "Erase a closed session, and all earlier sessions of its name.",
                    details: """
                        The bytes are removed from the file, and one row records how many rows were erased. Earlier
                        backups still contain them. DIR may be a backup, too. With `--dry-run` gamectl only shows what
                        would be erased. The daemon must not be running.
                        """),
                Form(
                    "journal forget --store URL [--yes] [--dry-run] SESSION",
                    "Erase a closed session from a database, which nodes may use meanwhile.",
                    details: """
                        PostgreSQL's files contain the bytes until `VACUUM FULL gamed_row`.
                        """),
                Form(
                    "journal stats JOURNAL [since=WHEN] [without=LABEL] [FLOW]",
                    "Show the games that a journal contains, as `stats` does.",
                    details:
                        "If WHEN is a duration, it is counted back from the journal's newest row."),
                Form(
                    "journal prune --yes",
                    "Let the daemon remove rows older than its `--keep` now, even if its clock is far ahead.",
                    details: """
                        Prints how many rows were removed, and what needs the old rows that stay. Unlike the other verbs of this
                        group, this one needs the running daemon. The timeout is an hour, unless `--timeout` is given.
                        """),
            ], completions: .fixed(JournalOptions.verbs), takesFiles: true
        ) { line, _ throws(CommandError) in
            if Array(line.words.prefix(2)) == ["journal", "prune"] {
                return try Command.prune(line)
            }
            return .journal(try JournalOptions.journal(line), isJSON: line.has("json"))
        },
        Verb(
            "restore", .journal,
            [
                Form(
                    "restore FILE DIR", "Make a backup the journal of a state directory.",
                    details: """
                        FILE is a backup, the copy that a conversion has kept, or the folder of an archive. It is checked first. The old files are
                        kept under other names; what was played after the backup is lost. If the backup contains tokens,
                        they replace those of the directory. The daemon must not be running.
                        """)
            ], takesFiles: true
        ) { line, _ throws(CommandError) in
            .journal(try JournalOptions.restore(line), isJSON: line.has("json"))
        },
    ]
}

extension Method {
    /// The text of the verb's form. The verb's name comes first. Then come the parameters that are given by name, such as
    /// `[limit=N]`. Then come the parameters that are given as words in a fixed order, such as `EVENT`. If a parameter is an
    /// object, `[NAME=VALUE …]` comes last. The session, which is given as `@NAME`, is left out.
    fileprivate var usage: String {
        var parts = [name]
        for use in parameters where use.parameter != .session && !words.contains(use.parameter) {
            switch use.parameter.kind {
            case .object: continue
            case .integer: parts.append("[\(use.parameter.name)=N]")
            case .text, .texts, .boolean, .numberOrCursor:
                let name = use.parameter.name.description
                parts.append("[\(name)=\(name.uppercased())]")
            }
        }
        for word in words {
            let name = word.name.description.uppercased()
            let isRequired = parameters.contains { $0.parameter == word && $0.isRequired }
            parts.append(isRequired ? name : "[\(name)]")
        }
        if parameters.contains(where: { $0.parameter.kind == .object }) {
            parts.append("[NAME=VALUE …]")
        }
        return parts.joined(separator: " ")
    }
}
