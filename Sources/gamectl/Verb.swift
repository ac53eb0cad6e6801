import GameFlow
import RPC
import Sessions
import Shell
import ShippedFlows

/// A verb of the command line: what reads it, and what the help, the manual and the shell completions say about it.
///
/// A method of the daemon is a verb of its own accord, by its row in `Method`. To add another verb, add its row to
/// `table`.
struct Verb: Sendable {
    /// Whom a verb asks.
    enum Group: CaseIterable {
        case daemon, flows, journal

        var title: String {
            switch self {
            case .daemon: "Verbs that ask the daemon"
            case .flows: "Verbs that ask the flows themselves, without a daemon"
            case .journal:
                "Verbs that read the journal of a daemon that does not run, or a backup"
            }
        }
    }

    /// One way to write the verb. Capitals stand for something, brackets enclose what may be left out.
    struct Form: Sendable {
        let text: String
        let sentence: String
        let details: String

        init(_ text: String, _ sentence: String, details: String = "") {
            (self.text, self.sentence, self.details) = (text, sentence, details)
        }
    }

    let name: String
    /// Nil of a verb that is neither shown nor suggested.
    let group: Group?
    let forms: [Form]
    /// The words that may stand behind it, for completions.
    let words: [String]
    /// Whether a file may stand behind it.
    let takesFiles: Bool
    let read: @Sendable (LongOptions) throws(Failure) -> Command

    private init(
        _ name: String, _ group: Group?, _ forms: [Form], words: [String] = [],
        takesFiles: Bool = false, read: @escaping @Sendable (LongOptions) throws(Failure) -> Command
    ) {
        (self.name, self.group, self.forms) = (name, group, forms)
        (self.words, self.takesFiles, self.read) = (words, takesFiles, read)
    }

    /// Every verb, in the order of the help.
    static let table: [Verb] = {
        let own = [wait] + flowVerbs + journalVerbs
        // What gamectl does itself is not asked of the daemon.
        let asked = Method.allCases.filter { method in !own.contains { $0.name == method.name } }
        return asked.map { ask($0) } + own
    }()

    // MARK: verbs that ask the daemon

    private static func ask(_ method: Method) -> Verb {
        let flows = AnyFlow.shipped().map(\.name)
        switch method {
        case .unwatch:
            return Verb(method.name, nil, []) { _ throws(Failure) in
                throw .usage("unwatch: nothing is watched yet; interrupt 'gamectl watch' instead")
            }
        case .prune:
            return Verb(method.name, nil, []) { _ throws(Failure) in
                throw .usage("prune: it is gamectl journal prune --yes")
            }
        case .watch:
            return Verb(
                method.name, .daemon,
                [
                    Form(
                        "watch [topics=changes,beats,refusals] [since=SEQ] [@NAME|@*]",
                        "Follow changes until interrupted, or until the session is closed.",
                        details: """
                            `@*` follows all sessions. `since` is a
                            number or a cursor. When the connection breaks, it is made again, and goes on from the last
                            change seen.
                            """)
                ]
            ) { line throws(Failure) in
                let (request, settings) = try Command.request(line)
                return .watch(try WatchOptions(request), settings)
            }
        case .describe: return ask(method, words: flows)
        case .backup:
            return ask(
                method,
                Form(
                    "backup PATH",
                    "Copy what the daemon keeps, and the hashes of its tokens, to a file while it goes on, and read the copy again.",
                    details: """
                        Nothing may be at PATH, which may not be inside the state directory. The file is opened here, and
                        the daemon writes into it. An answer is waited for up to an hour, unless `--timeout` says otherwise.
                        With `onServer=true` before the path, the daemon writes at an absolute path of its own.
                        """), takesFiles: true)
        case .advance:
            return ask(
                method, Form("advance D", "Move the virtual clock by a length of time."),
                Form("advance toNext", "Move it to the next instant at which something is due."),
                words: ["toNext"])
        case .timer:
            return ask(
                method,
                Form(
                    "timer FIRES \(choices(TimerOperation.Action.self)) [by=D]",
                    "Operate a timer, called by the signal that it sends."))
        case .token:
            return ask(
                method,
                Form(
                    "token add|remove NAME",
                    "Make a token for programs elsewhere and browsers, which is shown this once; or remove one.",
                    details: """
                        Removing a token ends the connections of those who showed it. What a token allows is said by the
                        daemon's rules; see gamed(8).
                        """), Form("token list", "List the names of the tokens."),
                words: TokenAction.allCases.map(\.rawValue))
        case .bluetooth:
            return ask(
                method,
                Form(
                    "bluetooth",
                    "Show the Bluetooth controller and the devices: how far each is, its battery, and its last event."
                ),
                Form(
                    "bluetooth \(choices(SimulatedDeviceAction.Action.self)) DEVICE [BUTTON]",
                    "Do with a simulated device what a person would do.",
                    details: """
                        Press a button, the first unless another is given; carry the device out of reach and back; or
                        have it sleep.
                        """), words: SimulatedDeviceAction.Action.allCases.map(\.rawValue))
        case .send:
            return ask(
                method,
                Form(
                    "send [id=ID] [ageMs=N] [entry=N] EVENT [NAME=VALUE …]",
                    method.sentence,
                    details: """
                        The same `id` again gets the first answer again, and changes nothing; `open`, `close`, `timer` and
                        `goto` take one, too. With `entry` the event is refused as stale if the session has entered a
                        state since that entry, which a session, a change and an effect show; `timer` and `goto` take it,
                        too.
                        """))
        default: return ask(method, words: [])
        }
    }

    private static func choices<Choice>(_ type: Choice.Type) -> String
    where Choice: CaseIterable & RawRepresentable<String> {
        type.allCases.map(\.rawValue).joined(separator: "|")
    }

    private static func ask(
        _ method: Method, _ forms: Form..., words: [String] = [], takesFiles: Bool = false
    ) -> Verb {
        let standard = Form(method.usage, method.sentence)
        return Verb(
            method.name, .daemon, forms.isEmpty ? [standard] : forms, words: words,
            takesFiles: takesFiles
        ) { line throws(Failure) in
            let (request, settings) = try Command.request(line)
            return .ask(request, settings)
        }
    }

    private static let wait = Verb(
        "wait", .daemon,
        [
            Form(
                "wait --state NAME [--within D]",
                "Return when the session is in that state; wait for ever unless told otherwise.")
        ]
    ) { line throws(Failure) in
        let settings = try Command.settings(line)
        return .wait(try WaitOptions(line, settings), settings)
    }

    // MARK: verbs without a daemon

    private static func prove(
        _ name: String, _ forms: Form..., words: [String] = AnyFlow.shipped().map(\.name),
        takesFiles: Bool = false,
        order: @escaping @Sendable (LongOptions) throws(Failure) -> AnalysisOptions
    ) -> Verb {
        Verb(name, .flows, forms, words: words, takesFiles: takesFiles) { line throws(Failure) in
            .prove(try order(line), isJSON: line.has("json"))
        }
    }

    private static let flowVerbs = [
        prove(
            "lint",
            Form(
                "lint [FLOW]",
                "Show what each state takes and what it refuses, and what is wrong with the flow.",
                details: """
                    Wrong are states that no way was found to, events that no state takes, states with neither exit nor
                    timer, signals that their state refuses or no timer sends, and timers that never came to fire. What is
                    tried are samples of arguments and data, waiting for each timer, and lingering for half of a
                    countdown's time. The findings are called `mistake` (the flow cannot be relied on at all),
                    `unreachableState`, `deadEvent`, `deadEnd`, `unhandledSignal` (a state refuses what its own timer
                    sends), `unsentSignal` (no timer sends it), `idleRow` (a state takes a signal that none of its timers
                    sends), `hopelessTimer`, `instantTimer` (a countdown of no time), `finalTimer`, `lostAtRestart` (play
                    leads to data that `entering` refuses, so that a restart would lose the session) and `missingRow` (a
                    transition that clients do not see, for no sample of the state's data takes it).
                    """)
        ) { line throws(Failure) in .lint(flow: try AnalysisOptions.optionalFlow(line)) },
        prove(
            "test",
            Form(
                "test [--coverage] FILE…", "Run scenario files in virtual time, and write TAP 14.",
                details: """
                    `-` is standard input. With `--coverage`, say which transitions, timers and refusals were exercised.
                    """), words: [], takesFiles: true
        ) { line throws(Failure) in try AnalysisOptions.test(line) },
        prove(
            "races",
            Form(
                "races [FLOW]",
                "Show where the order of things that are due at one instant makes a difference.",
                details: "The order that holds comes first.")
        ) { line throws(Failure) in .races(flow: try AnalysisOptions.optionalFlow(line)) },
        prove(
            "paths",
            Form(
                "paths [--to STATE] [FLOW]",
                "Show the shortest ways to the flow's states, in steps and in time."),
            Form(
                "paths --scenario FLOW", "Write scenarios that take every transition of the flow.")
        ) { line throws(Failure) in
            try AnalysisOptions.paths(line)
        },
        prove(
            "graph",
            Form(
                "graph [--format FORMAT] [FLOW]", "Draw the flow's diagram.",
                details: """
                    As `mermaid`, `dot` or `scxml`, or drawn by Graphviz as `svg` or `png`. Without a flow, the first is
                    drawn.
                    """)
        ) { line throws(Failure) in try AnalysisOptions.graph(line) },
    ]

    private static let journalVerbs = [
        Verb(
            "replay", .journal,
            [
                Form(
                    "replay JOURNAL",
                    "Run everything again in virtual time, and show the first difference.",
                    details: """
                        What was sent is sent again, and timers fire by themselves. All of it must come about as it was
                        written down; else the first difference is shown, with what was recorded and what comes of it
                        now.
                        """),
                Form(
                    "replay --flow NAME JOURNAL",
                    "Try a flow against what happened, and show what would have gone differently.",
                    details: """
                        Only what came from outside is taken from the journal, with its time; what came of it is left to
                        the flow. The sessions that played a flow of that name are tried; if none did, all are. Two things
                        are the same that clients could not have told apart. Of a session that goes differently, the first
                        difference is shown, and how it ended then and now. Refused events are tried, too, where the
                        daemon kept them (`--audit refusals`).
                        """),
            ], takesFiles: true
        ) { line throws(Failure) in
            .journal(try JournalOptions.replay(line), isJSON: line.has("json"))
        },
        Verb(
            "journal", .journal,
            [
                Form(
                    "journal check JOURNAL", "Check that all of it is there, and whole.",
                    details: """
                        This checks each row's checksum, and that the row before it of its session is there; what SQLite
                        says of the file; whether it is shorter than it was; and whether the flows can go on with each
                        session.
                        """),
                Form(
                    "journal export [--session NAME] JOURNAL",
                    "Write its rows as JSON lines, oldest first.",
                    details: """
                        Damaged rows are written, too, with `"whole":false`; a body that cannot be read is called `raw`,
                        in hexadecimal digits, and `unreadable` says why.
                        """),
                Form(
                    "journal forget --state-dir DIR [--yes] [--dry-run] SESSION",
                    "Erase a session that is over, and all earlier ones of its name.",
                    details: """
                        One row says that so many were erased, and the bytes are not in the file any more. Backups that
                        were made before still have them. The directory may be a backup, too. With `--dry-run` gamectl
                        only shows what would be erased.
                        """),
                Form(
                    "journal prune --yes",
                    "Have the daemon remove rows that are older than its `--keep`, also if its clock is far ahead.",
                    details: "This is the one of these verbs that asks a daemon that runs."),
            ], words: JournalOptions.verbs, takesFiles: true
        ) { line throws(Failure) in
            if Array(line.words.prefix(2)) == ["journal", "prune"] {
                return try Command.prune(line)
            }
            return .journal(try JournalOptions.journal(line), isJSON: line.has("json"))
        },
    ]
}

extension Method {
    /// How a command line asks it: parameters by name first, then those that bare words stand for.
    fileprivate var usage: String {
        var parts = [name]
        for use in parameters where use.parameter != .session && !words.contains(use.parameter) {
            switch use.parameter.kind {
            case .object: continue
            case .integer: parts.append("[\(use.parameter.name)=N]")
            case .text, .texts, .truth, .place:
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
