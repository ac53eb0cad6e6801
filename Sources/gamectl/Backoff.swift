import Timers

/// How long to wait before the next try: twice as long as before the last.
struct Backoff {
    static let longest = Interval.seconds(2)
    private var pause = Interval.milliseconds(100)

    mutating func next() -> Interval {
        defer { pause = min(Self.longest, pause + pause) }
        return pause
    }
}
