/// Why a command did not do what it was asked to.
enum Failure: Error, Equatable {
    case usage(String)
    case refused(Refused)
    /// Files that cannot be read, or say what cannot be meant: a sentence each.
    case malformed([String])
    /// Another process holds what is asked for.
    case busy(String)
    /// What is there does not allow it.
    case declined(String)
    /// What was to be checked does not hold.
    case check(String)
    /// Nobody answers at the socket.
    case unreachable(String)
    /// The connection ended too early.
    case lost
    case timedOut(String)
    /// What came is not what the protocol says.
    case fault(String)

    var status: ExitStatus {
        switch self {
        case .usage, .malformed: .usage
        case .check: .check
        case .busy, .declined: .refused
        case .refused(let refused): ExitStatus(code: refused.code)
        case .unreachable, .lost: .unreachable
        case .timedOut: .timedOut
        case .fault: .fault
        }
    }

    /// In words for people.
    var message: String {
        switch self {
        case .usage(let why): "\(why)\nTry 'gamectl --help'."
        case .malformed(let sentences): sentences.joined(separator: "\n")
        case .check(let why), .busy(let why), .declined(let why): why
        case .refused(let refused): refused.sentence
        case .unreachable(let why): why
        case .lost:
            "the connection was lost before the answer came. It may have been carried out: send it again "
                + "with its id to find out"
        case .timedOut(let why): "timed out: \(why)"
        case .fault(let why): "gamed does not keep to the protocol: \(why)"
        }
    }

    /// Whether it may go away by itself, so that whoever watches tries again.
    var isOutage: Bool {
        switch self {
        case .unreachable, .lost, .timedOut: true
        case .usage, .malformed, .busy, .declined, .check, .refused, .fault: false
        }
    }
}
