import GameFlow
import Sessions
import Shell
import Support
import Timers
import Wire

/// What a command line asks for.
enum Command: Equatable {
    case help, version
    case prove(ProofOrder, isJSON: Bool)
    case journal(JournalOrder, isJSON: Bool)
    case ask(Request, Settings)
    case watch(WatchOrder, Settings)
    case wait(WaitOrder, Settings)

    static let options = [
        LongOption("socket", value: "PATH"), LongOption("session", value: "NAME"),
        LongOption("json"), LongOption("timeout", value: "D"), LongOption("state", value: "NAME"),
        LongOption("within", value: "D"), LongOption("format", value: "FORMAT"),
        LongOption("to", value: "STATE"), LongOption("scenario"), LongOption("coverage"),
        LongOption("flow", value: "NAME"), LongOption("yes"), LongOption("dry-run"),
        LongOption("state-dir", value: "DIR"), LongOption("help"), LongOption("version"),
    ]

    /// Everything that may be asked for by name.
    static var verbs: [String] {
        let asked =
            Method.allCases.map(\.name).filter { !["unwatch", "prune"].contains($0) } + ["wait"]
        return asked + ProofOrder.verbs.filter { !asked.contains($0) } + JournalOrder.verbs
    }

    /// Reads a command line, the program's name not among it.
    static func read(_ arguments: [String]) throws(Failure) -> Command {
        let line: LongOptions
        do { line = try LongOptions(arguments, options) } catch {
            throw .usage(Shown.word(error.message))
        }
        if line.has("help") || line.words.first == "help" { return .help }
        if line.has("version") { return .version }
        guard let verb = line.words.first else { throw .usage("a verb is missing") }
        try check(line, verb)
        if let order = try ProofOrder(line) { return .prove(order, isJSON: line.has("json")) }
        if Array(line.words.prefix(2)) == ["journal", "prune"] { return try prune(line) }
        if let order = try JournalOrder(line) { return .journal(order, isJSON: line.has("json")) }
        let settings = try settings(line)
        if verb == "wait" { return .wait(try WaitOrder(line, settings), settings) }
        guard let method = Method(name: verb) else { throw unknown(verb) }
        if method == .prune { throw .usage("prune: it is gamectl journal prune --yes") }
        if method == .unwatch {
            throw .usage("unwatch: nothing is watched yet; interrupt 'gamectl watch' instead")
        }
        let request = try Request(words: line.words, session: settings.session)
        if method == .watch { return .watch(try WatchOrder(request), settings) }
        return .ask(request, settings)
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
    private static func prune(_ line: LongOptions) throws(Failure) -> Command {
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

    /// Options that belong to one verb only.
    private static func check(_ line: LongOptions, _ verb: String) throws(Failure) {
        let owners = [
            ("state", "wait"), ("within", "wait"), ("format", "graph"), ("to", "paths"),
            ("scenario", "paths"), ("coverage", "test"), ("flow", "replay"), ("yes", "journal"),
            ("dry-run", "journal"), ("state-dir", "journal"),
        ]
        for (option, owner) in owners where line.has(option) && verb != owner {
            throw .usage("--\(option) goes with \(owner)")
        }
    }

    private static func settings(_ line: LongOptions) throws(Failure) -> Settings {
        var settings = Settings()
        if let socket = line.value("socket") {
            guard SocketPath.address(socket) != nil else {
                throw .usage("--socket: a path of 1 to 107 bytes")
            }
            settings.socket = ClientSocket(named: socket)
        }
        guard SocketPath.address(settings.socket.path) != nil else {
            throw .usage(
                "\(Shown.word(settings.socket.path)): a socket's path has 1 to 107 bytes; see --socket"
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
            throw .usage("--\(option) \(Shown.word(text)): expected a duration such as 5s or 250ms")
        }
        return interval
    }

    private static func unknown(_ verb: String) -> Failure {
        let hint = DidYouMean.question(verb, verbs).map { "; \($0)" } ?? ""
        return .usage("no verb \(Shown.word(verb))\(hint)")
    }
}
