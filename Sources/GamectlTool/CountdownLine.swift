import GameFlow

/// The status line below the output of a watch on a terminal: the session's state, and the time left on its timers.
struct CountdownLine {
    /// The session's name, escaped for a terminal.
    let session: String
    /// The name of the session's state, escaped for a terminal.
    let state: String
    private let timers: [TimerStatus]
    /// When the status arrived, in milliseconds on gamectl's clock.
    private let receivedMs: Int
    /// Whether the time left decreases with real time; on a virtual clock it does not.
    private let decreases: Bool

    /// Reads a session's status or a notification of a beat.
    init(_ status: Value, receivedMs: Int, decreases: Bool) throws(CommandError) {
        session = try status.escapedText("session")
        // A beat has the state in `to`, and a status has it directly.
        let record = status.find("to") ?? status
        state = try record.escapedText("state")
        timers = try TimerStatus.all(of: status)
        (self.receivedMs, self.decreases) = (receivedMs, decreases)
    }

    /// The line at an instant of gamectl's clock. If the line is wider than `columns`, bars and pendulums are left out. If this
    /// shorter line is also too wide, it is truncated.
    func text(atMs nowMs: Int, columns: Int = 80) -> String {
        let passedMs = decreases ? nowMs - receivedMs : 0
        let fullText = text(timers, passedMs, withBars: true)
        if fullText.count <= columns { return fullText }
        let shortText = text(timers.filter { !$0.isPendulum }, passedMs, withBars: false)
        return shortText.count <= columns
            ? shortText : String(shortText.prefix(max(0, columns - 1))) + "…"
    }

    /// The line with these timers, `passedMs` milliseconds after the status arrived.
    private func text(_ timers: [TimerStatus], _ passedMs: Int, withBars: Bool) -> String {
        var parts = ["\(session) · \(state)"]
        for timer in timers {
            let remainingMs = timer.remaining(after: passedMs)
            let bar = timer.kind != "countdown" || !withBars ? "" : timer.bar(remainingMs) + " "
            parts.append("\(timer.signal) \(bar)\(timer.words(remainingMs))")
        }
        return parts.joined(separator: "  ")
    }
}
