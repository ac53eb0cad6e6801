import Support

/// Why a command failed.
enum CommandError: DescribedError, Equatable {
    /// A mistake in the command line.
    case usage(String)
    /// The daemon refused the request, or gamectl did in its place.
    case refused(ErrorReply)
    /// Files that cannot be read or have errors; one sentence for each error.
    case malformed([String])
    /// Another process has the journal open.
    case busy(String)
    /// The journal's contents do not allow the command.
    case declined(String)
    /// A check found mistakes.
    case check(String)
    /// Nothing listens at the socket.
    case unreachable(String)
    /// The connection ended before the reply.
    case lost
    case timedOut(String)
    /// The daemon sent something that violates the protocol.
    case protocolError(String)

    var status: ExitStatus {
        switch self {
        case .usage, .malformed: .usage
        case .check: .check
        case .busy, .declined: .refused
        case .refused(let refused): ExitStatus(code: refused.code)
        case .unreachable, .lost: .unreachable
        case .timedOut: .timedOut
        case .protocolError: .protocolError
        }
    }

    /// The error as text for people, in one or more lines.
    var why: String {
        switch self {
        case .usage(let why): "\(why)\nTry 'gamectl --help'."
        case .malformed(let sentences): sentences.joined(separator: "\n")
        case .check(let why), .busy(let why), .declined(let why): why
        case .refused(let refused): refused.sentence
        case .unreachable(let why): why
        case .lost:
            "the connection was lost before the reply came. The request may have been carried out: send it "
                + "again with the same id to find out"
        case .timedOut(let why): "timed out: \(why)"
        case .protocolError(let why): "gamed violated the protocol: \(why)"
        }
    }

    /// Whether the error may go away by itself, so that a watch connects again.
    var isOutage: Bool {
        switch self {
        case .unreachable, .lost, .timedOut: true
        case .usage, .malformed, .busy, .declined, .check, .refused, .protocolError: false
        }
    }
}

/// The exit status of gamectl.
enum ExitStatus: Int32 {
    case done = 0
    /// Refused by the flow or the daemon.
    case refused = 1
    /// A mistake in the command line or in a file.
    case usage = 2
    case unreachable = 3
    case timedOut = 4
    /// The daemon violated the protocol.
    case protocolError = 5
    /// A check found mistakes.
    case check = 6

    /// The status for an error code in a reply. Codes of gamed are positive, those of JSON-RPC are negative.
    init(code: Int) {
        switch code {
        case 1...: self = .refused
        // Invalid parameters; an unknown method.
        case -32602, -32601: self = .usage
        default: self = .protocolError
        }
    }
}
