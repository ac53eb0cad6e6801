import GameFlow
import RPC
import Sessions
import Shell

/// The sessions that the daemon opens at its start: `main`, and those of the configuration.
struct StartSessions {
    private let options: Options

    init(_ options: Options) { self.options = options }

    /// The sessions to open: `main`, unless the options exclude it, and those of the configuration.
    private var all: [StartSession] {
        let configured = options.sessions
        guard options.opensMain, !configured.contains(where: { $0.name == .main }) else {
            return configured
        }
        return [StartSession(name: .main, flow: options.flow)] + configured
    }

    /// Opens the sessions, unless they exist already or could not be restored. Throws if the session `main` of `--flow` cannot
    /// be opened although all flow files could be read. Any other session that cannot be opened is logged.
    func open(in sessions: Sessions) throws(RequestError) {
        for start in all {
            if let session = try? sessions.session(start.name) {
                warnIfOtherFlow(start, session)
                continue
            }
            guard sessions.quarantine(of: start.name) == nil else { continue }
            do throws(RequestError) { try open(start, in: sessions) } catch {
                let isMain = start.name == .main && !options.sessions.contains(start)
                if isMain, options.flowFiles?.mistakes.isEmpty ?? true { throw error }
                report(start, error)
            }
        }
        setLargeTimers(in: sessions)
    }

    /// Opens those of the sessions that belong to a shard, and logs those that cannot be opened.
    func open(in sessions: Sessions, where isMember: (SessionName) -> Bool) {
        for start in all where isMember(start.name) {
            guard (try? sessions.session(start.name)) == nil,
                sessions.quarantine(of: start.name) == nil
            else { continue }
            do throws(RequestError) { try open(start, in: sessions) } catch { report(start, error) }
        }
        setLargeTimers(in: sessions)
    }

    /// Opens the sessions that the configuration names now and did not name before; `oldSessions` are the earlier names.
    func openAdded(to oldSessions: [SessionName], in sessions: Sessions) {
        for start in options.sessions where !oldSessions.contains(start.name) {
            guard (try? sessions.session(start.name)) == nil,
                sessions.quarantine(of: start.name) == nil
            else { continue }
            do throws(RequestError) { try open(start, in: sessions) } catch { report(start, error) }
        }
        setLargeTimers(in: sessions)
    }

    /// Logs a session that could not be opened.
    private func report(_ start: StartSession, _ error: RequestError) {
        let data = error.data.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        Log.write(.error, "session \(start.name.text) is not opened: \(error.name): \(data)")
    }

    /// Sets the timers that the players' screens show in large type, as the configuration names them.
    func setLargeTimers(in sessions: Sessions) {
        sessions.largeTimers = Dictionary(
            options.sessions.compactMap { start in start.clock.map { (start.name, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    private func open(_ start: StartSession, in sessions: Sessions) throws(RequestError) {
        let newest = try sessions.flow(start.flow)
        let flow: AnyFlow
        do throws(Reason) { flow = try sessions.catalog.flow(newest, with: start.settings) } catch {
            throw .invalid(.flow(start.flow), argument: error.subject, why: error.why)
        }
        _ = try sessions.open(
            start.name, flow, state: start.state, labels: start.labels,
            RequestContext(from: .ownProcess))
    }

    /// Warns if a restored session has another flow than the configuration names.
    private func warnIfOtherFlow(_ start: StartSession, _ session: Session) {
        guard session.flow.name != start.flow else { return }
        let line =
            options.sessions.contains(start)
            ? "the line `session \(start.name.text)`" : "--flow \(start.flow)"
        Log.write(
            .warning,
            "session \(start.name.text) was restored with flow \(session.flow.name); \(line) applies "
                + "only to a new session \(start.name.text)")
    }

    /// Opens sessions again if the daemon opened them and the opening was rolled back. A client whose opening was rolled back
    /// got an error, and can open the session itself.
    func openAgain(in sessions: Sessions, _ undone: [Sessions.UndoneOpening]) {
        let openedByDaemon = undone.filter { $0.source === Source.ownProcess }.map(\.session)
        for start in all where openedByDaemon.contains(start.name) {
            try? open(start, in: sessions)
        }
    }
}
