import GameFlow
import RPC
import Sessions
import Shell
import Support
import Timers

/// What a command line asks for.
enum Command: Equatable {
    case help, version
    case prove(AnalysisOptions, isJSON: Bool)
    case journal(JournalOptions, isJSON: Bool)
    case ask(Request, Settings)
    case watch(WatchOptions, Settings)
    case wait(WaitOptions, Settings)

    /// Reads a command line, the program's name not among it.
    static func read(_ arguments: [String]) throws(Failure) -> Command {
        let line: LongOptions
        do { line = try LongOptions(arguments, CommandOption.table.map(\.form)) } catch {
            throw .usage(TerminalSafe.word(error.message))
        }
        if line.has("help") || line.words.first == "help" { return .help }
        if line.has("version") { return .version }
        guard let verb = line.words.first else { throw .usage("a verb is missing") }
        try check(line, verb)
        guard let known = Verb.table.first(where: { $0.name == verb }) else { throw unknown(verb) }
        return try known.read(line)
    }

    /// The request that the words make, and how to ask it.
    static func request(_ line: LongOptions) throws(Failure) -> (Request, Settings) {
        let settings = try settings(line)
        return (try Request(words: line.words, session: settings.session), settings)
    }

    /// Whether a program reads what comes of it.
    var isJSON: Bool {
        switch self {
        case .help, .version: false
        case .prove(_, let isJSON), .journal(_, let isJSON): isJSON
        case .ask(_, let settings), .watch(_, let settings), .wait(_, let settings):
            settings.isJSON
        }
    }

    /// The one verb about a journal that a daemon carries out.
    static func prune(_ line: LongOptions) throws(Failure) -> Command {
        guard line.words.count == 2 else {
            throw .usage("journal prune: the daemon's own journal; no directory is named")
        }
        guard line.has("yes") else {
            throw .usage(
                "journal prune removes for good what is older than the daemon's --keep, also if its "
                    + "clock is wrong; with --yes it is done")
        }
        return .ask(Request(.prune), try settings(line))
    }

    /// Throws if an option goes with another verb.
    private static func check(_ line: LongOptions, _ verb: String) throws(Failure) {
        for option in CommandOption.table where line.has(option.form.name) {
            guard let owner = option.verb, owner != verb else { continue }
            throw .usage("--\(option.form.name) goes with \(owner)")
        }
    }

    static func settings(_ line: LongOptions) throws(Failure) -> Settings {
        var settings = Settings()
        if let socket = line.value("socket") {
            guard SocketPath.address(socket) != nil else {
                throw .usage("--socket: a path of 1 to 107 bytes")
            }
            settings.socket = ClientSocket(named: socket)
        }
        guard SocketPath.address(settings.socket.path) != nil else {
            throw .usage(
                "\(TerminalSafe.word(settings.socket.path)): a socket's path has 1 to 107 bytes; see --socket"
            )
        }
        if let session = line.value("session") { settings.session = session }
        settings.isJSON = line.has("json")
        settings.givenTimeout = try duration("timeout", line)
        return settings
    }

    /// An option's value as a length of time that is not nothing.
    static func duration(_ option: String, _ line: LongOptions) throws(Failure) -> Duration? {
        guard let text = line.value(option) else { return nil }
        guard let interval = DurationText.read(text), interval > .zero else {
            throw .usage(
                "--\(option) \(TerminalSafe.word(text)): expected a duration such as 5s or 250ms")
        }
        return interval
    }

    private static func unknown(_ verb: String) -> Failure {
        let verbs = Verb.table.filter { $0.group != nil }.map(\.name)
        let hint = DidYouMean.question(verb, verbs).map { "; \($0)" } ?? ""
        return .usage("no verb \(TerminalSafe.word(verb))\(hint)")
    }
}
