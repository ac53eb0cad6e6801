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
        guard let settings = try Self.ask(.config, client) else {
            configuration = nil
            findings = [
                .fault(
                    .rights, "you may not operate the daemon",
                    "run this as root or as the user gamed, or give your user the right: allow uid:USER operate"
                )
            ]
            return
        }
        configuration = try DoctorConfiguration(settings)
        var findings: [DoctorFinding] = [.ok(.rights, "you may operate every session")]
        if let why = try client.call(Request(.ping)).value.find("storage")?.text {
            findings.append(
                .fault(
                    .database, "the journal cannot be written: \(why)",
                    "make room on the disk, or start the database; changes are refused until then"))
        }
        findings += try Self.database(client)
        let alerts = try client.call(Request(.alerts)).value
        findings += try AlertCheck.findings(alerts.list("alerts"))
        self.findings = findings
    }

    /// The result of a method; nil if the caller may not call it.
    private static func ask(_ method: Method, _ client: Client) throws(CommandError) -> Value? {
        do throws(CommandError) { return try client.call(Request(method)).value } catch {
            // A daemon of an older version does not have the method.
            guard case .refused(let reply) = error,
                ["forbidden", "methodNotFound"].contains(reply.title)
            else { throw error }
            return nil
        }
    }

    /// What makes acknowledged changes of a shared database unsafe.
    private static func database(_ client: Client) throws(CommandError) -> [DoctorFinding] {
        guard let nodes = try ask(.nodes, client) else { return [] }
        // An older daemon does not tell weaknesses.
        let weak = nodes.find("weak") == nil ? [] : try nodes.list("weak")
        return weak.compactMap(\.text).map {
            .fault(
                .database, "the database may lose acknowledged changes: \($0)",
                "correct the setting of the database; docs/many-machines.md explains it")
        }
    }
}
