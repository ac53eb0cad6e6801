import GameFlow

/// The last line of a watch: where the session stands, and how long that will last.
struct CountdownLine {
    let session: String
    let state: String
    private let timers: [TimerFact]
    /// When the facts were told, in this program's own time.
    private let toldMs: Int
    /// A virtual clock moves by what is told of it only.
    private let moves: Bool

    /// Reads a session's status, or a beat.
    init(_ facts: Value, toldMs: Int, moves: Bool) throws(Failure) {
        session = try facts.shown("session")
        let place = facts.find("to") ?? facts
        state = try place.shown("state")
        timers = try TimerFact.all(of: facts)
        (self.toldMs, self.moves) = (toldMs, moves)
    }

    /// The line at an instant, as it fits: with bars, else without them and without the beats, for the
    /// time that is left is what it is about, and else cut.
    func text(atMs nowMs: Int, columns: Int = 80) -> String {
        let passed = moves ? nowMs - toldMs : 0
        let whole = text(timers, passed, withBars: true)
        if whole.count <= columns { return whole }
        let short = text(timers.filter { !$0.isPendulum }, passed, withBars: false)
        return short.count <= columns ? short : String(short.prefix(max(0, columns - 1))) + "…"
    }

    private func text(_ timers: [TimerFact], _ passed: Int, withBars: Bool) -> String {
        var parts = ["\(session) · \(state)"]
        for timer in timers {
            let left = timer.remaining(after: passed)
            let bar = timer.isPendulum || !withBars ? "" : timer.bar(left) + " "
            parts.append("\(timer.fires) \(bar)\(timer.words(left))")
        }
        return parts.joined(separator: "  ")
    }
}
