import EventLoop
import GameFlow
import RPC
import Shell
import Timers

/// What completions read from the daemon. A result is missing if there is no daemon, or if it refuses the request.
protocol CompletionSource {
    /// The result of a request that only reads.
    func result(of request: Request) -> Value?
}

extension CompletionSource {
    /// A session in the list of sessions: its name, and its flow and state.
    typealias ListedSession = (name: String, note: String)

    /// The sessions that the caller may observe, at most as many as the daemon lists at once.
    var sessions: [ListedSession] {
        (result(of: Request(.list))?.find("sessions")?.elements ?? []).compactMap { session in
            guard let name = session.find("session")?.text else { return nil }
            let words = ["flow", "state"].compactMap { session.find($0)?.text }
            return (name, words.joined(separator: " "))
        }
    }

    /// The names of the daemon's flows.
    var flows: [String] { result(of: Request(.hello))?.find("flows")?.texts ?? [] }

    func status(_ session: String) -> Value? {
        result(of: Request(.status, [Member("session", session)]))
    }

    func describe(session: String) -> Value? {
        result(of: Request(.describe, [Member("session", session)]))
    }

    /// The description of a flow; nil for the daemon's first flow.
    func describe(flow: String?) -> Value? {
        result(of: Request(.describe, flow.map { [Member("flow", $0)] } ?? []))
    }
}

/// The running daemon. It is reached with the first request, and only for a short time, because the user waits.
final class DaemonCompletions: CompletionSource {
    private static let patience = Duration.seconds(1)
    private lazy var client: Client? = {
        guard var settings = try? Command.settings(line), let loop = try? LibeventLoop() else {
            return nil
        }
        settings.givenTimeout = Self.patience
        return try? Client(settings.socket, on: loop, timeout: settings.timeout)
    }()
    private let line: LongOptions

    /// The daemon at the socket that these options name.
    init(_ line: LongOptions) { self.line = line }

    func result(of request: Request) -> Value? { try? client?.call(request).value }
}
