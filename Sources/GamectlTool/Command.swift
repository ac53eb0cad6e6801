import EventLoop
import GameFlow
import RPC
import Sessions
import Shell
import Support
import Timers

/// A command line of gamectl that was parsed and checked. `GamectlTool` executes it.
enum Command: Equatable {
    /// The help: of the program, or of one verb.
    case help(verb: String?)
    case version
    /// The completion of a command line, which these words begin.
    case complete([String])
    /// `lint`, `test`, `races`, `paths` or `graph`.
    case analyze(AnalysisOptions, isJSON: Bool)
    /// A verb that works on a flow file without a daemon.
    case flowFile(FlowFileOptions, isJSON: Bool)
    /// `replay`, or a verb of `journal` that works without the daemon.
    case journal(JournalOptions, isJSON: Bool)
    /// `config --config FILE`.
    case config(ConfigCommand)
    case doctor(DoctorCommand)
    /// A verb that sends one request to the daemon.
    case request(Request, Settings)
    case watch(WatchOptions, Settings)
    case wait(WaitOptions, Settings)
    case top(Settings)

    /// Reads the command line. `arguments` does not contain the program's name; `flows` are the program's flows, for the verbs
    /// that work without a daemon.
    static func read(_ arguments: [String], flows: [AnyFlow]) throws(CommandError) -> Command {
        if arguments.first == CompletionCommand.name, arguments.dropFirst().first == "--" {
            return .complete(Array(arguments.dropFirst(2)))
        }
        let line: LongOptions
        do { line = try LongOptions(arguments, CommandOption.table.map(\.form)) } catch {
            throw .usage(TerminalSafe.escaped(error.why))
        }
        if line.words.first == "help" { return .help(verb: try helpTopic(line.words.dropFirst())) }
        if line.has("help") { return .help(verb: try helpTopic(line.words[...])) }
        if line.has("version") { return .version }
        guard let name = line.words.first else { throw .usage("a verb is missing") }
        try checkOptions(line, verb: name)
        guard let verb = Verb.table.first(where: { $0.name == name }) else { throw unknown(name) }
        return try verb.read(line, flows)
    }

    /// The verb whose help is printed: the first of these words, if there is one, with the second word if a form of the verb has it.
    /// Throws if there is no such verb.
    private static func helpTopic(_ words: ArraySlice<String>) throws(CommandError) -> String? {
        guard let name = words.first else { return nil }
        let forms = Verb.table.filter { $0.name == name }.flatMap(\.forms)
        guard !forms.isEmpty else { throw unknown(name) }
        let topic = words.prefix(2).joined(separator: " ")
        return forms.contains { $0.begins(with: topic) } ? topic : name
    }

    /// The request that the words of a command line form, and the settings in its options.
    static func request(_ line: LongOptions) throws(CommandError) -> (Request, Settings) {
        let settings = try settings(line)
        var words = line.words
        // Without --yes, `outputs clear` only lists what it would clear.
        if words.starts(with: ["outputs", "clear"]), !line.has("yes") { words[1] = "retained" }
        return (try Request(words: words, session: settings.session), settings)
    }

    /// The request of a verb of two words, such as `flow list`, that the running daemon carries out. `method` is the name of
    /// the daemon's method, which replaces the two words.
    static func request(_ method: String, _ line: LongOptions) throws(CommandError) -> Command {
        let settings = try settings(line)
        let words = [method] + line.words.dropFirst(2)
        return .request(try Request(words: words, session: settings.session), settings)
    }

    /// Whether the output is JSON.
    var isJSON: Bool {
        switch self {
        case .help, .version, .complete: false
        case .config(let command): command.isJSON
        case .doctor(let command): command.settings.isJSON
        case .analyze(_, let isJSON), .flowFile(_, let isJSON), .journal(_, let isJSON): isJSON
        case .request(_, let settings), .watch(_, let settings), .wait(_, let settings),
            .top(let settings):
            settings.isJSON
        }
    }

    /// `journal prune`, the only journal verb that the running daemon carries out.
    static func prune(_ line: LongOptions) throws(CommandError) -> Command {
        guard line.words.count == 2 else {
            throw .usage("journal prune takes no path: it prunes the running daemon's journal")
        }
        guard line.has("yes") else {
            throw .usage(
                "journal prune permanently removes rows that are older than the daemon's --keep, "
                    + "even if its clock is far ahead; confirm with --yes")
        }
        return .request(Request(.prune), try settings(line))
    }

    /// Throws if an option belongs to another verb than `verb`.
    private static func checkOptions(_ line: LongOptions, verb: String) throws(CommandError) {
        for option in CommandOption.table where line.has(option.form.name) {
            if option.verbs.isEmpty || option.verbs.contains(verb) { continue }
            let verbs = option.verbs.joined(separator: ", ")
            throw .usage("--\(option.form.name) is an option of \(verbs)")
        }
    }

    /// The settings in the options of a command line. Throws if the socket's path, from `--socket` or from an environment
    /// variable, is empty or too long.
    static func settings(_ line: LongOptions) throws(CommandError) -> Settings {
        var settings = Settings()
        if let socket = line.value("socket") {
            guard SocketAddress(path: socket) != nil else {
                throw .usage("--socket: a path of 1 to 107 bytes")
            }
            settings.socket = ClientSocket(named: socket)
        }
        guard SocketAddress(path: settings.socket.path) != nil else {
            throw .usage(
                "\(TerminalSafe.escaped(settings.socket.path)): the socket's path must have 1 to 107 bytes; see --socket"
            )
        }
        if let session = line.value("session") { settings.session = session }
        settings.isJSON = line.has("json")
        settings.givenTimeout = try duration("timeout", line)
        return settings
    }

    /// An option's value as a duration greater than zero; nil if the option is not given.
    static func duration(_ option: String, _ line: LongOptions) throws(CommandError) -> Duration? {
        guard let text = line.value(option) else { return nil }
        guard let duration = DurationText.read(text), duration > .zero else {
            throw .usage(
                "--\(option) \(TerminalSafe.escaped(text)): expected a duration such as 5s or 250ms"
            )
        }
        return duration
    }

    /// The error for a verb that does not exist.
    private static func unknown(_ verb: String) -> CommandError {
        // The rows without a group are not suggested: they are methods of the daemon that gamectl does not offer as verbs.
        let verbs = Verb.table.filter { $0.group != nil }.map(\.name)
        let hint = DidYouMean.question(verb, verbs).map { "; \($0)" } ?? ""
        return .usage("no verb \(TerminalSafe.escaped(verb))\(hint)")
    }
}

/// The options that are common to all verbs that send requests to the daemon.
struct Settings: Equatable {
    /// The daemon's socket. The default is found by environment variables and by which sockets exist.
    var socket = ClientSocket()
    /// The session of a request that names no session.
    var session = "main"
    /// Whether to print JSON lines.
    var isJSON = false
    /// The value of `--timeout`; nil if the option is not given.
    var givenTimeout: Duration?
    /// How long a reply may take.
    var timeout: Duration { givenTimeout ?? .seconds(5) }
    /// How long the reply to `backup`, `leaderboard` or `stats` may take. For these, the daemon reads the whole journal.
    var journalTimeout: Duration { givenTimeout ?? .seconds(3600) }
}
