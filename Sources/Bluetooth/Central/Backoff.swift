import Timers

/// How long to leave something alone that failed: longer each time in a row.
struct Backoff {
    static let first = Interval.milliseconds(250)
    static let longest = Interval.seconds(10)
    /// What has held so long did not fail.
    static let steady = Interval.seconds(2)

    private var failures = 0

    /// It held.
    mutating func succeed() { failures = 0 }

    /// It failed; how long to wait now.
    mutating func fail() -> Interval {
        failures = min(failures + 1, 16)
        return min(.milliseconds(Self.first.milliseconds << (failures - 1)), Self.longest)
    }
}
