import GameFlow
import RPC

/// A timer of a session, as a session's status or the notification of a beat describes it.
struct TimerStatus: Equatable {
    /// The name of the signal that the timer sends.
    let signal: String
    let isPendulum: Bool
    /// The remaining time, in milliseconds, at the moment when the daemon sent the status.
    let remainingMs: Int
    /// The total time of a countdown, or the period of a pendulum.
    let totalMs: Int
    let isPaused: Bool

    /// Reads an element of the member `timers`.
    init(_ value: Value) throws(CommandError) {
        signal = try value.escapedText("fires")
        isPendulum = try value.text("kind") == "pendulum"
        remainingMs = try value.number("remainingMs")
        totalMs = try value.number("totalMs")
        isPaused = try value.boolean("paused")
    }

    /// The timers in a session's status, or in the notification of a beat.
    static func all(of session: Value) throws(CommandError) -> [TimerStatus] {
        var timers: [TimerStatus] = []
        for timer in try session.list("timers") { timers.append(try TimerStatus(timer)) }
        return timers
    }

    /// The remaining time in milliseconds, when `passedMs` milliseconds have passed since the status was sent.
    func remaining(after passedMs: Int) -> Int {
        guard !isPaused else { return remainingMs }
        let passedMs = max(0, passedMs)
        return remainingMs > passedMs ? remainingMs - passedMs : 0
    }

    /// The time left as a bar of `width` columns between two ends, `▕███░░░▏`. The bar is empty only if no time is left.
    func bar(_ remainingMs: Int, width: Int = 13) -> String {
        let share = Double(min(max(0, remainingMs), totalMs)) / Double(max(1, totalMs))
        let nearest = Int((max(0, share) * Double(width)).rounded())
        let filled = remainingMs > 0 ? max(1, nearest) : 0
        return "▕" + String(repeating: "█", count: filled)
            + String(repeating: "░", count: width - filled) + "▏"
    }

    /// The times of the timer as text: `1:12 of 1:30`, or `every 0:01` for a pendulum.
    func words(_ remainingMs: Int) -> String {
        let paused = isPaused ? ", paused" : ""
        if isPendulum { return "every \(Self.length(totalMs))\(paused)" }
        if totalMs < 1000 { return "\(max(0, remainingMs))ms of \(max(0, totalMs))ms\(paused)" }
        return "\(ClockText.length(remainingMs)) of \(ClockText.length(totalMs))\(paused)"
    }

    /// A duration of `ms` milliseconds. Whole seconds are shown as `1:30`; any other duration, which `ClockText.length` would
    /// round, is shown as `1500ms`.
    static func length(_ ms: Int) -> String {
        ms % 1000 == 0 && ms > 0 ? ClockText.length(ms) : "\(max(0, ms))ms"
    }
}
