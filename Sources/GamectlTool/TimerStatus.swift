import GameFlow
import RPC

/// A timer of a session, as a status or a beat describes it.
struct TimerStatus: Equatable {
    /// The name of the signal that the timer sends.
    let signal: String
    let isPendulum: Bool
    let remainingMs: Int
    let totalMs: Int
    let isPaused: Bool

    init(_ value: Value) throws(CommandError) {
        signal = try value.escapedText("fires")
        isPendulum = try value.text("kind") == "pendulum"
        remainingMs = try value.number("remainingMs")
        totalMs = try value.number("totalMs")
        isPaused = try value.boolean("paused")
    }

    /// The timers of a session's status, or of a beat.
    static func all(of session: Value) throws(CommandError) -> [TimerStatus] {
        var timers: [TimerStatus] = []
        for timer in try session.list("timers") { timers.append(try TimerStatus(timer)) }
        return timers
    }

    /// The remaining time when `ms` milliseconds have passed since the status was sent.
    func remaining(after ms: Int) -> Int {
        guard !isPaused else { return remainingMs }
        let passed = max(0, ms)
        return remainingMs > passed ? remainingMs - passed : 0
    }

    /// The time left as a bar of `width` columns; it is empty only at zero.
    func bar(_ remaining: Int, width: Int = 13) -> String {
        let share = Double(min(max(0, remaining), totalMs)) / Double(max(1, totalMs))
        let nearest = Int((max(0, share) * Double(width)).rounded())
        let filled = remaining > 0 ? max(1, nearest) : 0
        return "▕" + String(repeating: "█", count: filled)
            + String(repeating: "░", count: width - filled) + "▏"
    }

    /// `1:12 of 1:30`, or `every 0:01` of a pendulum.
    func words(_ remaining: Int) -> String {
        let paused = isPaused ? ", paused" : ""
        if isPendulum { return "every \(Self.length(totalMs))\(paused)" }
        if totalMs < 1000 { return "\(max(0, remaining))ms of \(max(0, totalMs))ms\(paused)" }
        return "\(ClockText.length(remaining)) of \(ClockText.length(totalMs))\(paused)"
    }

    /// A timer's total time. A fraction of a second is not rounded.
    static func length(_ ms: Int) -> String {
        ms % 1000 == 0 && ms > 0 ? ClockText.length(ms) : "\(max(0, ms))ms"
    }
}
