import EventLoop
import Glibc

/// The process in which the daemon runs: whether the daemon is its main program, and what ends the daemon.
enum Host {
    /// The program gamed. SIGTERM and SIGINT end the daemon, and SIGHUP reads its configuration again. The daemon
    /// reports its status to `manager`.
    case program(_ manager: ServiceManager)
    /// Another program, which embeds the daemon. A message of this program ends the daemon. The program handles the signals, the
    /// service manager and the child processes of the process.
    case embedding(_ end: ThreadInbox<Void>)

    /// The service manager to which the daemon reports its status.
    var manager: ServiceManager {
        switch self {
        case .program(let manager): manager
        case .embedding: ServiceManager(isForProgram: false)
        }
    }

    private static let endSignals = [SIGTERM, SIGINT]

    /// Calls `work` on the loop when the daemon must end, until the returned objects are released.
    func watchEnd(on loop: LibeventLoop, _ work: @escaping () -> Void) throws(EventLoopError)
        -> [AnyObject]
    {
        switch self {
        case .program:
            try Self.endSignals.map { number throws(EventLoopError) in
                try SignalHandle(number, on: loop, work)
            }
        case .embedding(let end): [try end.open(on: loop, work)]
        }
    }

    /// Keeps a signal that arrives between two calls of `watchEnd` for the second one. A message is kept without this call.
    func keepEnd() {
        if case .program = self { SignalHandle.block(Self.endSignals) }
    }

    /// Calls `work` on the loop at SIGHUP, until the returned objects are released. Only the program gamed has this signal.
    func watchReload(on loop: LibeventLoop, _ work: @escaping () -> Void) throws(EventLoopError)
        -> [AnyObject]
    {
        if case .program = self { [try SignalHandle(SIGHUP, on: loop, work)] } else { [] }
    }
}
