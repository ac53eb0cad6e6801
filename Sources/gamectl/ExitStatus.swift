/// What the program's end tells a script.
enum ExitStatus: Int32 {
    case done = 0
    /// By the flow, or by the daemon.
    case refused = 1
    case usage = 2
    case unreachable = 3
    case timedOut = 4
    /// The other side does not speak the protocol.
    case fault = 5
    /// A check found something.
    case check = 6

    /// The status for an error that the daemon answered with.
    init(code: Int) {
        switch code {
        case 1...: self = .refused
        case -32602, -32601: self = .usage
        default: self = .fault
        }
    }
}
