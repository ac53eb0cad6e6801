import GameFlow
import Sessions

/// Session `main`, which the daemon opens at its start.
struct MainSession {
    private let options: Options

    init(_ options: Options) { self.options = options }

    /// Opens the session, unless it exists already or could not be restored.
    func open(in sessions: Sessions) throws(RequestError) {
        let main = try? sessions.session(.main)
        if let main, options.opensMain, main.flow.name != options.flow {
            Log.write(
                .warning,
                "session main was restored with flow \(main.flow.name); --flow \(options.flow) applies only to a new session main"
            )
        }
        guard options.opensMain, main == nil, sessions.quarantine(of: .main) == nil else { return }
        _ = try sessions.open(
            .main, sessions.flow(options.flow), RequestContext(from: .operatorAtStart))
    }

    /// Opens the session again if the daemon's own opening was undone. If a client's opening was
    /// undone, the client was told so and opens it itself; a closed session stays closed.
    func openAgain(in sessions: Sessions, _ undone: [Sessions.UndoneOpening]) {
        let mains = undone.filter { $0.session == .main }
        guard mains.contains(where: { $0.source === Source.operatorAtStart }) else { return }
        try? open(in: sessions)
    }
}
