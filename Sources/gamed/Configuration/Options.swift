import Access
import GameFlow
import Glibc
import Sessions
import Shell
import Timers

/// What the daemon was told, on its command line and by its configuration.
struct Options: Equatable {
    var socket = SocketPath.standard
    /// Whether the socket is where it is by itself: then its directory is made, if that is missing.
    var isStandardSocket = true
    var flow = "game"
    var opensMain = true
    var isVirtual = false
    /// Where what happens is kept; nil where nothing is.
    var stateDirectory = ServiceDirectory.state
    /// How long what is over is kept; nil for ever.
    var keep: Duration? = .seconds(30 * 86_400)
    var auditsRefusals = false
    /// Whether to go on from a journal that is shorter than it was.
    var acceptsLoss = false
    /// Where lines come in over TCP.
    var listen: [Address] = []
    /// Where browsers come in.
    var http: [Address] = []
    /// How many addresses each of these may have.
    static let addresses = 16
    /// Under which other names browsers may know the daemon.
    var hosts: [String] = []
    var certificate: String?
    var key: String?
    var clientAuthority: String?
    /// Whether to go without TLS where others could listen in.
    var isInsecure = false
    /// Where tokens are kept; nil as long as the daemon runs.
    var tokens: String?
    /// Where they are: beside the journal, unless told otherwise.
    var tokenFile: String? { tokens ?? stateDirectory.map { "\($0)/tokens" } }
    /// Where the Bluetooth controller is; nil where nobody listens to one.
    var bluetooth: BluetoothPlace?
    /// Where every packet between it and the daemon is written.
    var btsnoop: String?
    /// What its devices tell the sessions.
    var maps = DeviceMaps()
    var limits = ServerLimits()
    var rules: [Rule] = []
    /// Where the configuration is; nil where there is none.
    var configuration: String?

    /// What to do instead of running, or a run.
    enum Command: Equatable {
        case run(Options)
        /// Everything was read, and nothing is wrong.
        case checked(Options)
        case help, version
    }

    /// Why the daemon does not run: what is wrong with the command line, or with the configuration.
    enum Mistake: Error, Equatable {
        case usage(String)
        case configuration([ConfigurationFile.Mistake])

        var sentences: [String] {
            switch self {
            case .usage(let message): [message]
            case .configuration(let mistakes): mistakes.map(\.sentence)
            }
        }
    }

    static let known = [
        LongOption("socket", value: "PATH"), LongOption("flow", value: "NAME"),
        LongOption("no-main"), LongOption("clock", value: "real|virtual"), LongOption("help"),
        LongOption("version"), LongOption("state-dir", value: "DIR"),
        LongOption("keep", value: "D"), LongOption("audit", value: "refusals"),
        LongOption("accept-loss"), LongOption("listen", value: "HOST:PORT"),
        LongOption("http", value: "HOST:PORT"), LongOption("http-host", value: "NAME"),
        LongOption("tls-cert", value: "FILE"), LongOption("tls-key", value: "FILE"),
        LongOption("tls-client-ca", value: "FILE"), LongOption("insecure"),
        LongOption("tokens", value: "FILE"), LongOption("limit", value: "NAME=VALUE"),
        LongOption("bluetooth", value: "sim:FILE|hci:unix:PATH|hci:tcp:HOST:PORT"),
        LongOption("btsnoop", value: "FILE"),
        LongOption("config", value: "FILE"), LongOption("check"),
    ]

    /// Reads a command line, the program's name not among it, and the configuration that it names. What the
    /// command line says holds against the configuration.
    static func read(_ arguments: [String], flows: [String]) throws(Mistake) -> Command {
        var options = Options()
        let line: LongOptions
        do throws(UsageError) {
            line = try LongOptions(arguments, known)
            if line.has("help") { return .help }
            if line.has("version") { return .version }
            if let word = line.words.first { throw UsageError("\(word): gamed takes only options") }
        } catch { throw .usage(error.message) }
        let mistakes = options.takeConfiguration(line.value("config"), flows)
        guard mistakes.isEmpty else { throw .configuration(mistakes) }
        do throws(UsageError) {
            // The command line's addresses replace those of the configuration.
            if line.has("listen") { options.listen = [] }
            if line.has("http") { options.http = [] }
            for (name, value) in line.given where name != "config" && name != "check" {
                do throws(UsageError) { try options.take(name, value, flows) } catch {
                    throw UsageError("--\(name)\(value.map { " \($0)" } ?? ""): \(error.message)")
                }
            }
            try options.checkWhole()
        } catch { throw .usage(error.message) }
        return line.has("check") ? .checked(options) : .run(options)
    }
}
