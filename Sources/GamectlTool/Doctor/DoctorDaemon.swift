import EventLoop
import GameFlow
import RPC

/// What a running daemon has answered to `gamectl doctor`.
struct DoctorDaemon {
    let build: VersionCheck.Build
    /// Nil if the caller may not see it.
    let configuration: DoctorConfiguration?
    /// The findings about the rights of the caller, the devices, the database and the outputs.
    let findings: [DoctorFinding]

    /// Asks the daemon at a socket.
    init(_ settings: Settings, _ loop: LibeventLoop) throws(CommandError) {
        let client = try Client(settings.socket, on: loop, timeout: settings.timeout)
        let hello = try client.call(Request(.hello)).value
        build = VersionCheck.Build(
            version: try hello.text("version"), commit: hello.find("commit")?.text ?? "unknown")
        switch try Self.ask(.config, client) {
        case .result(let settings):
            configuration = try DoctorConfiguration(settings)
            findings = [.ok(.rights, "you may operate every session")] + (try Self.alerts(client))
        case .forbidden:
            configuration = nil
            findings = [
                .fault(
                    .rights, "you may not operate the daemon",
                    "run this as root or as the user gamed, or give your user the right: allow uid:USER operate"
                )
            ]
        case .unknownMethod:
            configuration = nil
            findings =
                [
                    .skipped(
                        .rights, "the daemon is older than gamectl, and does not show its settings")
                ]
                + (try Self.alerts(client))
        }
    }

    /// The answer to a method.
    private enum MethodAnswer {
        case result(Value)
        /// The caller may not call it.
        case forbidden
        /// A daemon of an older version does not have it.
        case unknownMethod
    }

    private static func ask(_ method: Method, _ client: Client) throws(CommandError)
        -> MethodAnswer
    {
        do throws(CommandError) { return .result(try client.call(Request(method)).value) } catch {
            guard case .refused(let reply) = error else { throw error }
            switch reply.title {
            case "forbidden": return .forbidden
            case "methodNotFound": return .unknownMethod
            default: throw error
            }
        }
    }

    /// What does not work: the devices, the store and the outputs.
    private static func alerts(_ client: Client) throws(CommandError) -> [DoctorFinding] {
        switch try ask(.alerts, client) {
        case .result(let alerts):
            let outage = try client.call(Request(.ping)).value.find("storage")?.text
            return try AlertCheck.findings(alerts.list("alerts"), outage: outage)
        case .forbidden, .unknownMethod: return []
        }
    }
}
