import GameFlow

/// The status line below the output of a watch on a terminal: the session's state, and the time left on its timers.
struct CountdownLine {
    /// The session's name, escaped for a terminal.
    let session: String
    /// The name of the session's state, escaped for a terminal.
    let state: String
    /// The data of the state, as `name=value` pairs that are escaped for a terminal.
    private let data: String
    private let timers: [TimerStatus]
    /// The signal of the timer that the players' screen shows in large digits; nil without one.
    private let clock: String?
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
        data = TerminalSafe.pairs(record.find("data")?.members ?? [])
        timers = try TimerStatus.all(of: status)
        clock = status.find("clock")?.text.map(TerminalSafe.escaped)
        (self.receivedMs, self.decreases) = (receivedMs, decreases)
    }

    /// The line at an instant of gamectl's clock. If the line is wider than `columns`, bars and pendulums are left out. If this
    /// shorter line is also too wide, it is truncated.
    func text(atMs nowMs: Int, columns: Int = 80) -> String {
        let passedMs = passedMs(at: nowMs)
        let fullText = text(timers, passedMs, withBars: true)
        if fullText.count <= columns { return fullText }
        let shortText = text(timers.filter { !$0.isPendulum }, passedMs, withBars: false)
        return Self.fitting(shortText, columns)
    }

    /// Two lines at an instant of gamectl's clock, each at most `columns` wide: the state with its data, and the clock. The clock
    /// is the timer that the players' screen shows in large digits, or else the first that is no pendulum; other timers follow if
    /// there is room.
    func twoLines(atMs nowMs: Int, columns: Int) -> [String] {
        let passedMs = passedMs(at: nowMs)
        let stateLine = "\(session) · \(state)" + (data.isEmpty ? "" : "  \(data)")
        var shown = timers.filter { !$0.isPendulum }
        if let index = shown.firstIndex(where: { $0.signal == clock }) {
            shown.insert(shown.remove(at: index), at: 0)
        }
        let texts = shown.map { text(of: $0, passedMs, withBar: true) }
        var clockLine = texts.first ?? "no timer"
        for text in texts.dropFirst() where clockLine.count + 2 + text.count <= columns {
            clockLine += "  " + text
        }
        return [stateLine, clockLine].map { Self.fitting($0, columns) }
    }

    /// The text, cut off if it is wider than `columns`.
    private static func fitting(_ text: String, _ columns: Int) -> String {
        text.count <= columns ? text : String(text.prefix(max(0, columns - 1))) + "…"
    }

    /// How much of the time left has passed since the status arrived.
    private func passedMs(at nowMs: Int) -> Int { decreases ? nowMs - receivedMs : 0 }

    private func text(of timer: TimerStatus, _ passedMs: Int, withBar: Bool) -> String {
        let remainingMs = timer.remaining(after: passedMs)
        let bar = timer.kind != "countdown" || !withBar ? "" : timer.bar(remainingMs) + " "
        return "\(timer.signal) \(bar)\(timer.words(remainingMs))"
    }

    /// The line with these timers, `passedMs` milliseconds after the status arrived.
    private func text(_ timers: [TimerStatus], _ passedMs: Int, withBars: Bool) -> String {
        let timerTexts = timers.map { text(of: $0, passedMs, withBar: withBars) }
        return (["\(session) · \(state)"] + timerTexts).joined(separator: "  ")
    }
}
