import Support

/// Why a command failed. The associated texts are sentences for the user.
enum CommandError: DescribedError, Equatable {
    /// A mistake in the command line.
    case usage(String)
    /// The daemon refused the request, or gamectl did not send the request, because the daemon would have refused it.
    case refused(ErrorReply)
    /// A file, directory or database cannot be used, or files have mistakes; one sentence for each mistake.
    case malformed([String])
    /// Another process has the journal open.
    case busy(String)
    /// The journal's contents do not allow the command.
    case declined(String)
    /// A verb that checks something, such as `lint`, `test` or `journal check`, found mistakes.
    case check(String)
    /// No connection could be made, for example because nothing listens at the socket.
    case unreachable(String)
    /// The connection ended before the reply.
    case lost
    /// The daemon did not answer in time, or what `wait` waits for did not happen in time.
    case timedOut(String)
    /// The daemon sent something that violates the protocol.
    case protocolError(String)

    /// The exit status with which gamectl ends after this error.
    var status: ExitStatus {
        switch self {
        case .usage, .malformed: .usage
        case .check: .check
        case .busy, .declined: .refused
        case .refused(let reply): ExitStatus(code: reply.code)
        case .unreachable, .lost: .unreachable
        case .timedOut: .timedOut
        case .protocolError: .protocolError
        }
    }

    /// The error as text for people, in one or more lines.
    var why: String {
        switch self {
        case .usage(let why): why
        case .malformed(let sentences): sentences.joined(separator: "\n")
        case .check(let why), .busy(let why), .declined(let why): why
        case .refused(let reply): reply.sentence
        case .unreachable(let why): why
        case .lost:
            "the connection was lost before the reply came. The request may have been carried out: send it "
                + "again with the same id to find out"
        case .timedOut(let why): "timed out: \(why)"
        case .protocolError(let why): "gamed violated the protocol: \(why)"
        }
    }

    /// Whether the connection has ended, or none can be made.
    var isLostConnection: Bool {
        switch self {
        case .unreachable, .lost: true
        case .timedOut, .usage, .malformed, .busy, .declined, .check, .refused, .protocolError:
            false
        }
    }

    /// Whether a later attempt may succeed, so that `watch` connects again.
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
    /// The flow or the daemon refused the request, or the journal cannot be used for the command at present.
    case refused = 1
    /// A mistake in the command line or in a file.
    case usage = 2
    case unreachable = 3
    case timedOut = 4
    /// The daemon violated the protocol.
    case protocolError = 5
    /// A verb that checks something found mistakes.
    case check = 6

    /// The status for an error code in a reply. Codes of gamed are positive, codes of JSON-RPC are negative.
    init(code: Int) {
        switch code {
        case 1...: self = .refused
        // Invalid parameters; an unknown method.
        case -32602, -32601: self = .usage
        default: self = .protocolError
        }
    }
}
