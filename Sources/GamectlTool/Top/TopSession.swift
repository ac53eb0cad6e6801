import GameFlow

/// A session as `gamectl top` shows it: the newest status, and when it arrived.
struct TopSession {
    let status: Value
    let name: String
    let state: String
    let entry: Int
    /// Milliseconds of gamectl's clock.
    let receivedMs: Int
    /// The events that the session accepts now.
    let accepts: [String]
    let timers: [TimerStatus]
    let isStuck: Bool
    let isFinal: Bool
    /// The labels `title` and `team`.
    let title: String

    init(_ status: Value, receivedMs: Int) throws(CommandError) {
        (self.status, self.receivedMs) = (status, receivedMs)
        name = try status.text("session")
        state = try status.text("state")
        entry = try status.number("entry")
        accepts = status.find("accepts")?.texts ?? []
        timers = try TimerStatus.all(of: status)
        isStuck = status.find("stuck") != nil
        isFinal = status.find("final") == .bool(true)
        let labels = status.find("labels")
        title = ["title", "team"].compactMap { labels?.find($0).map(TerminalSafe.text) }
            .joined(separator: " · ")
    }

    /// The timer that matters most: the one that the players' screen shows in large digits, otherwise the first that is no
    /// pendulum; nil without one.
    var mainTimer: TimerStatus? {
        let clock = status.find("clock")?.text.map(TerminalSafe.escaped)
        let candidates = timers.filter { !$0.isPendulum }
        return candidates.first { $0.signal == clock } ?? candidates.first
    }

    /// The flow that the session plays, and its version. Flows without a version have nil.
    var rules: [Value?] { [status.find("flow"), status.find("version")] }

    /// Whether all timers that can be paused are paused.
    var isPaused: Bool { !timers.isEmpty && timers.allSatisfy(\.isPaused) }

    var data: [Member] { status.find("data")?.members ?? [] }
}
