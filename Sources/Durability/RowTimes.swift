internal import Support
public import Timers

/// For each second of the last hour, the position of the first row of that second. A reader that needs all rows since an
/// instant reads the rows after `position(before:)`.
public struct RowTimes {
    /// The first row of a second.
    private struct Mark {
        let second: Int64
        let position: Int
    }

    /// The first rows, in the order of their seconds.
    private var marks = Deque<Mark>()
    /// The number of seconds before the newest row for which positions are known.
    public static let rememberedSeconds: Int64 = 3600

    public init() {}

    /// Adds a row with its position and its time; the rows are added in the order of their positions.
    mutating func add(_ position: Int, at instant: Instant) {
        let second = instant.nanoseconds / 1_000_000_000
        // A clock that was set back adds nothing until it is past the newest second.
        if let last = marks.last, second <= last.second { return }
        marks.append(Mark(second: second, position: position))
        while let first = marks.first, first.second < second - Self.rememberedSeconds {
            _ = marks.removeFirst()
        }
    }

    /// Returns a position before all known rows with a time of `instant` or later.
    public func position(before instant: Instant) -> Int {
        let second = instant.nanoseconds / 1_000_000_000
        var remaining = marks
        var position = (remaining.first?.position ?? 1) - 1
        while let mark = remaining.removeFirst(), mark.second <= second {
            position = mark.position - 1
        }
        return position
    }
}
