import GameFlow
package import Parts
import RPC
package import Sessions
import Shell
import Support

/// The sessions that the daemon opens at its start: `main`, and the sessions of the configuration. Each shard opens those that
/// belong to it.
package struct StartSessions {
    private let options: Options

    package init(_ options: Options) { self.options = options }

    /// Neither the journal has the session `main`, nor is there a flow of the name that `--flow` gives.
    package struct UnknownMainFlowError: DescribedError { let why: String }

    /// The sessions to open: `main`, unless the options exclude it, and the sessions of the configuration.
    private var startSessions: [StartSession] {
        let configured = options.sessions.opened
        guard options.sessions.opensMain, !configured.contains(where: { $0.name == .main }) else {
            return configured
        }
        return [StartSession(name: .main, flow: options.sessions.flow)] + configured
    }

    /// Opens the sessions for which `isMember` is true, except those that exist already, and those that are quarantined. Logs each
    /// failure to open a session, except one: returns the error if the session `main` with the flow of `--flow` cannot be opened
    /// although all flow files could be read.
    package func open(in sessions: Sessions, where isMember: (SessionName) -> Bool) -> (any Error)?
    {
        var mainError: (any Error)?
        for start in startSessions where isMember(start.name) {
            if let session = try? sessions.session(start.name) {
                warnIfOtherFlow(start, session)
                continue
            }
            guard sessions.quarantine(of: start.name) == nil else { continue }
            do throws(RequestError) { try open(start, in: sessions) } catch {
                // A session `main` of the configuration may fail as every other session of the configuration.
                let isMain = start.name == .main && !options.sessions.opened.contains(start)
                if isMain, options.sessions.flowFiles?.mistakes.isEmpty ?? true {
                    mainError = Self.explained(error, sessions)
                } else {
                    log(start, error)
                }
            }
        }
        setLargeTimers(in: sessions)
        return mainError
    }

    /// The error for the session `main` with the flow of `--flow`: an unknown flow is a mistake in the command line.
    private static func explained(_ error: RequestError, _ sessions: Sessions) -> any Error {
        guard case .unknownFlow(let name, _) = error else { return error }
        return UnknownMainFlowError(
            why: "--flow \(name): \(OptionValue.unknownFlow(name, sessions.flows))")
    }

    /// Called after SIGHUP. Opens the sessions for which `isMember` is true, and that the configuration of before did not have.
    func openAdded(
        to earlier: StartSessions, in sessions: Sessions, where isMember: (SessionName) -> Bool
    ) {
        let oldNames = earlier.options.sessions.opened.map(\.name)
        for start in options.sessions.opened
        where !oldNames.contains(start.name) && isMember(start.name) {
            guard (try? sessions.session(start.name)) == nil,
                sessions.quarantine(of: start.name) == nil
            else { continue }
            do throws(RequestError) { try open(start, in: sessions) } catch { log(start, error) }
        }
        setLargeTimers(in: sessions)
    }

    /// Logs a session that could not be opened.
    private func log(_ start: StartSession, _ error: RequestError) {
        let data = error.data.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        Log.write(
            .error, .session, "session \(start.name.text) is not opened: \(error.name): \(data)",
            [.session(start.name.text), .flow(start.flow), .reason(error.name.description)])
    }

    /// Sets the timers that the players' screens show in large type, as the configuration names them.
    func setLargeTimers(in sessions: Sessions) {
        sessions.largeTimers = Dictionary(
            options.sessions.opened.compactMap { start in start.clock.map { (start.name, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Opens a session with its settings and labels.
    private func open(_ start: StartSession, in sessions: Sessions) throws(RequestError) {
        let newest = try sessions.flow(start.flow)
        let flow: AnyFlow
        do throws(Reason) { flow = try sessions.catalog.flow(newest, with: start.settings) } catch {
            throw .invalid(.flow(start.flow), argument: error.subject, why: error.why)
        }
        _ = try sessions.open(
            start.name, flow, state: start.state, settings: start.settings,
            labels: start.labels,
            RequestContext(from: .ownProcess))
    }

    /// Warns if a restored session has another flow than the configuration names.
    private func warnIfOtherFlow(_ start: StartSession, _ session: Session) {
        guard session.flow.name != start.flow else { return }
        let line =
            options.sessions.opened.contains(start)
            ? "the line `session \(start.name.text)`" : "--flow \(start.flow)"
        Log.write(
            .warning, .session,
            "session \(start.name.text) was restored with flow \(session.flow.name); \(line) applies "
                + "only to a new session \(start.name.text)")
    }

    /// Opens sessions again if the daemon opened them and their opening was rolled back (`undone`), because the storage had
    /// failed. Sessions that clients opened are left out: such a client got an error, and can repeat its request.
    func openAgain(in sessions: Sessions, _ undone: [Sessions.UndoneOpening]) {
        // The daemon uses this one object as the source of all sessions that it opens itself, so `===` finds these sessions.
        let openedByDaemon = undone.filter { $0.source === Source.ownProcess }.map(\.session)
        for start in startSessions where openedByDaemon.contains(start.name) {
            // If the storage fails again, this function is called again.
            try? open(start, in: sessions)
        }
    }
}
