import GameFlow
import Glibc
import Sessions
import Shell

/// What the daemon was told on its command line.
struct Options: Equatable {
    var socket = SocketPath.standard
    /// Whether the socket is where it is by itself: then its directory is made, if that is missing.
    var isStandardSocket = true
    var flow = "game"
    var opensMain = true
    var isVirtual = false

    /// What to do instead of running, or a run.
    enum Command: Equatable {
        case run(Options)
        case help, version
    }

    static let known = [
        LongOption("socket", value: "PATH"), LongOption("flow", value: "NAME"),
        LongOption("no-main"), LongOption("clock", value: "real|virtual"), LongOption("help"),
        LongOption("version"),
    ]

    /// Reads a command line, the program's name not among it.
    static func read(_ arguments: [String], flows: [String]) throws(UsageError) -> Command {
        let line = try LongOptions(arguments, known)
        if line.has("help") { return .help }
        if line.has("version") { return .version }
        if let word = line.words.first { throw UsageError("\(word): gamed takes only options") }
        var options = Options()
        if let socket = line.value("socket") {
            guard SocketPath.address(socket) != nil else {
                throw UsageError("--socket: a path of 1 to 107 bytes")
            }
            options.socket = socket
            options.isStandardSocket = false
        }
        if let flow = line.value("flow") {
            guard flows.contains(flow) else { throw unknownFlow(flow, flows) }
            options.flow = flow
        }
        switch line.value("clock") {
        case nil, "real": break
        case "virtual": options.isVirtual = true
        case let other?: throw UsageError("--clock \(other): expected real or virtual")
        }
        options.opensMain = !line.has("no-main")
        return .run(options)
    }

    private static func unknownFlow(_ flow: String, _ flows: [String]) -> UsageError {
        let near = DidYouMean.suggest(flow, flows)
        let hint =
            near.isEmpty ? "known: \(flows.joined(separator: ", "))" : "did you mean \(near[0])?"
        return UsageError("--flow \(flow): no such flow; \(hint)")
    }

    static func help(flows: [String]) -> String {
        """
        gamed: the referee of live games and app flows. Events in over a socket, time-outs out.

        Examples:
          gamed                                   run the game; clients find it at
                                                  \(SocketPath.standard)
          gamed --socket /tmp/g.sock              somewhere else
          gamed --clock virtual                   time moves only by `gamectl advance 90s`
          echo status | nc -N -U /tmp/g.sock      ask it anything; gamectl does so too

        Options:
          --socket PATH          where clients find the daemon; mode 0660
          --flow NAME            the flow of session main (\(flows.joined(separator: ", "))); default game
          --no-main              open no session at the start
          --clock real|virtual   virtual time moves only by `advance`; default real
          --help                 this
          --version              the version

        Signals: SIGTERM and SIGINT end it cleanly; a second one at once.
        Exit status: 0 ended cleanly, 1 could not run, 2 usage.
        """
    }
}
