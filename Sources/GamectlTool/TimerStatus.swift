import GameFlow
import RPC
import Support

/// A timer of a session, as a session's status or the notification of a beat describes it.
struct TimerStatus: Equatable {
    /// The name of the signal that the timer sends.
    let signal: String
    let kind: String
    /// The remaining time, in milliseconds, at the moment when the daemon sent the status; negative in overtime. For a
    /// stopwatch, the negative of the time that it has spent.
    let remainingMs: Int
    /// The total time of a countdown, or the period of a pendulum.
    let totalMs: Int
    let isPaused: Bool
    /// For a mark, what its countdown has left when it fires, such as `at 1:00 of timeUp`; nil for any other timer.
    let markText: String?
    /// Whether a countdown runs on below zero.
    let hasOvertime: Bool
    /// The time of day at which the timer fires; nil if it fires at none.
    var timeOfDay: String? = nil

    var isPendulum: Bool { kind == "pendulum" }
    var isStopwatch: Bool { kind == "stopwatch" }

    /// Reads an element of the member `timers`.
    init(_ value: Value) throws(CommandError) {
        signal = try value.escapedText("fires")
        kind = try value.text("kind")
        if kind == "when" {
            let left = DurationText.clock(milliseconds: try value.number("leftMs"))
            markText = "at \(left) of \(try value.escapedText("of"))"
        } else {
            markText = nil
        }
        if kind == "when" {
            guard case .int(let number)? = value.find("remainingMs") else {
                (remainingMs, totalMs) = (0, 0)
                (isPaused, hasOvertime) = (try value.boolean("paused"), false)
                return
            }
            (remainingMs, totalMs) = (number, 0)
        } else if kind == "stopwatch" {
            (remainingMs, totalMs) = (-(try value.number("spentMs")), 0)
        } else {
            (remainingMs, totalMs) = (
                try value.number("remainingMs"), try value.number("totalMs")
            )
        }
        isPaused = try value.boolean("paused")
        hasOvertime = value.find("overtime") == .bool(true)
        if kind == "until" { timeOfDay = try value.escapedText("until") }
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
        if hasOvertime || isStopwatch { return remainingMs - passedMs }
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

    /// The times of the timer as text: `1:12 of 1:30`, `every 0:01` for a pendulum, `0:42` for a stopwatch, or `1:30:00 until
    /// 20:00`.
    func words(_ remainingMs: Int) -> String {
        let paused = isPaused ? ", paused" : ""
        if let markText { return markText + paused }
        if isStopwatch { return "\(ClockText.length(-remainingMs))\(paused)" }
        if let timeOfDay { return "\(ClockText.length(remainingMs)) until \(timeOfDay)\(paused)" }
        if isPendulum { return "every \(Self.length(totalMs))\(paused)" }
        if totalMs < 1000 { return "\(max(0, remainingMs))ms of \(max(0, totalMs))ms\(paused)" }
        if remainingMs <= -1000 {
            let over = DurationText.clock(milliseconds: remainingMs)
            return "\(over) of \(ClockText.length(totalMs))\(paused)"
        }
        return "\(ClockText.length(remainingMs)) of \(ClockText.length(totalMs))\(paused)"
    }

    /// A duration of `ms` milliseconds. Whole seconds are shown as `1:30`; any other duration, which `ClockText.length` would
    /// round, is shown as `1500ms`.
    static func length(_ ms: Int) -> String {
        ms % 1000 == 0 && ms > 0 ? ClockText.length(ms) : "\(max(0, ms))ms"
    }
}
