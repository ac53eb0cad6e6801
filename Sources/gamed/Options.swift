import GameFlow
import Glibc
import Sessions
import Shell
import Timers
import Wire

/// What the daemon was told on its command line.
struct Options: Equatable {
    var socket = SocketPath.standard
    /// Whether the socket is where it is by itself: then its directory is made, if that is missing.
    var isStandardSocket = true
    var flow = "game"
    var opensMain = true
    var isVirtual = false
    /// Where what happens is kept; nil where nothing is.
    var stateDirectory: String?
    /// How long what is over is kept; nil for ever.
    var keep: Interval? = .seconds(30 * 86_400)
    var auditsRefusals = false
    /// Whether to go on from a journal that is shorter than it was.
    var acceptsLoss = false

    /// What to do instead of running, or a run.
    enum Command: Equatable {
        case run(Options)
        case help, version
    }

    static let known = [
        LongOption("socket", value: "PATH"), LongOption("flow", value: "NAME"),
        LongOption("no-main"), LongOption("clock", value: "real|virtual"), LongOption("help"),
        LongOption("version"), LongOption("state-dir", value: "DIR"),
        LongOption("keep", value: "D"), LongOption("audit", value: "refusals"),
        LongOption("accept-loss"),
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
        try options.readKeeping(line)
        return .run(options)
    }

    private mutating func readKeeping(_ line: LongOptions) throws(UsageError) {
        stateDirectory = line.value("state-dir") ?? ServiceDirectory.state
        if stateDirectory == "" { throw UsageError("--state-dir: expected a directory") }
        switch line.value("keep") {
        case nil: break
        case "forever": keep = nil
        case let text?:
            guard let time = DurationText.read(text) else {
                throw UsageError("--keep \(text): expected a duration such as 30d, or forever")
            }
            keep = time
        }
        switch line.value("audit") {
        case nil: break
        case "refusals": auditsRefusals = true
        case let other?: throw UsageError("--audit \(other): expected refusals")
        }
        acceptsLoss = line.has("accept-loss")
        guard stateDirectory == nil else { return }
        for option in ["keep", "audit", "accept-loss"] where line.has(option) {
            throw UsageError("--\(option) goes with --state-dir")
        }
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
          --state-dir DIR        keep everything there: what is acknowledged survives kill -9
                                 and a power cut; default $STATE_DIRECTORY, else nothing is kept
          --keep D               how long what is over is kept, or forever; default 30d
          --audit refusals       keep what was refused, too
          --accept-loss          go on from a journal that is shorter than it was
          --help                 this
          --version              the version

        Signals: SIGTERM and SIGINT end it cleanly; a second one at once.
        Exit status: 0 ended cleanly, 1 could not run, 2 usage.
        """
    }
}
