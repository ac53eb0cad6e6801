import GameFlow
import RPC
import Sessions
import Shell

/// The sessions that the daemon opens at its start: `main`, and those of the configuration.
struct StartSessions {
    private let options: Options

    init(_ options: Options) { self.options = options }

    private var all: [StartSession] {
        let listed = options.sessions
        guard options.opensMain, !listed.contains(where: { $0.name == .main }) else {
            return listed
        }
        return [StartSession(name: .main, flow: options.flow)] + listed
    }

    /// Opens the sessions, unless they exist already or could not be restored. Throws if session `main` cannot be
    /// opened; another one that cannot be opened is logged.
    func open(in sessions: Sessions) throws(RequestError) {
        for one in all {
            if let open = try? sessions.session(one.name) {
                warn(one, open)
                continue
            }
            guard sessions.quarantine(of: one.name) == nil else { continue }
            do throws(RequestError) { try open(one, in: sessions) } catch {
                let isMain = one.name == .main && !options.sessions.contains(one)
                if isMain, options.flowFiles?.mistakes.isEmpty ?? true { throw error }
                report(one, error)
            }
        }
        show(in: sessions)
    }

    /// Opens those of the sessions that belong to a shard, and logs those that cannot be opened.
    func open(in sessions: Sessions, where isMember: (SessionName) -> Bool) {
        for one in all where isMember(one.name) {
            guard (try? sessions.session(one.name)) == nil, sessions.quarantine(of: one.name) == nil
            else { continue }
            do throws(RequestError) { try open(one, in: sessions) } catch { report(one, error) }
        }
        show(in: sessions)
    }

    /// Opens the sessions whose lines are new; `before` are the names of the earlier lines.
    func openAdded(to before: [SessionName], in sessions: Sessions) {
        for one in options.sessions where !before.contains(one.name) {
            guard (try? sessions.session(one.name)) == nil, sessions.quarantine(of: one.name) == nil
            else { continue }
            do throws(RequestError) { try open(one, in: sessions) } catch { report(one, error) }
        }
        show(in: sessions)
    }

    private func report(_ one: StartSession, _ error: RequestError) {
        let data = error.data.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        Log.write(.error, "session \(one.name.text) is not opened: \(error.name): \(data)")
    }

    /// Shows the clocks that the configuration names on the players' screens.
    func show(in sessions: Sessions) {
        sessions.clocks = Dictionary(
            options.sessions.compactMap { one in one.clock.map { (one.name, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    private func open(_ one: StartSession, in sessions: Sessions) throws(RequestError) {
        let newest = try sessions.flow(one.flow)
        let flow: AnyFlow
        do throws(Reason) { flow = try sessions.catalog.flow(newest, with: one.settings) } catch {
            throw .invalid(.flow(one.flow), argument: error.subject, why: error.why)
        }
        _ = try sessions.open(
            one.name, flow, state: one.state, labels: one.labels,
            RequestContext(from: .operatorAtStart))
    }

    private func warn(_ one: StartSession, _ open: Session) {
        guard open.flow.name != one.flow else { return }
        let line =
            options.sessions.contains(one)
            ? "the line `session \(one.name.text)`" : "--flow \(one.flow)"
        Log.write(
            .warning,
            "session \(one.name.text) was restored with flow \(open.flow.name); \(line) applies "
                + "only to a new session \(one.name.text)")
    }

    /// Opens sessions again if the daemon's own opening was undone. If a client's opening was undone, the client was
    /// told so and opens it itself; a closed session stays closed.
    func openAgain(in sessions: Sessions, _ undone: [Sessions.UndoneOpening]) {
        let own = undone.filter { $0.source === Source.operatorAtStart }.map(\.session)
        for one in all where own.contains(one.name) { try? open(one, in: sessions) }
    }
}
