import JSON

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

    /// The line at an instant, cut so that it fits.
    func text(atMs nowMs: Int, columns: Int = 80) -> String {
        let passed = moves ? nowMs - toldMs : 0
        var parts = ["\(session) · \(state)"]
        for timer in timers {
            let left = timer.remaining(after: passed)
            let bar = timer.isPendulum ? "" : timer.bar(left) + " "
            parts.append("\(timer.fires) \(bar)\(timer.words(left))")
        }
        let text = parts.joined(separator: "  ")
        return text.count <= columns ? text : String(text.prefix(max(0, columns - 1))) + "…"
    }
}
