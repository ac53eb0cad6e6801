import GameFlow

/// The status line below the output of a watch on a terminal: the session's state, and the time left on its timers.
struct CountdownLine {
    let session: String
    let state: String
    private let timers: [TimerStatus]
    /// When the status arrived, on gamectl's clock.
    private let receivedMs: Int
    /// Whether the time left decreases with real time; on a virtual clock it does not.
    private let decreases: Bool

    /// Reads a session's status or a beat.
    init(_ status: Value, receivedMs: Int, decreases: Bool) throws(CommandError) {
        session = try status.escapedText("session")
        // A beat has the state in `to`, and a status has it directly.
        let record = status.find("to") ?? status
        state = try record.escapedText("state")
        timers = try TimerStatus.all(of: status)
        (self.receivedMs, self.decreases) = (receivedMs, decreases)
    }

    /// The line at an instant. If the line is wider than `columns`, bars and pendulums are left out; if it is still
    /// too wide, it is truncated.
    func text(atMs nowMs: Int, columns: Int = 80) -> String {
        let passed = decreases ? nowMs - receivedMs : 0
        let whole = text(timers, passed, withBars: true)
        if whole.count <= columns { return whole }
        let short = text(timers.filter { !$0.isPendulum }, passed, withBars: false)
        return short.count <= columns ? short : String(short.prefix(max(0, columns - 1))) + "…"
    }

    private func text(_ timers: [TimerStatus], _ passed: Int, withBars: Bool) -> String {
        var parts = ["\(session) · \(state)"]
        for timer in timers {
            let left = timer.remaining(after: passed)
            let bar = timer.isPendulum || !withBars ? "" : timer.bar(left) + " "
            parts.append("\(timer.signal) \(bar)\(timer.words(left))")
        }
        return parts.joined(separator: "  ")
    }
}
