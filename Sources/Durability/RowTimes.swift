internal import Support
public import Timers

/// The positions of the rows of the last hour, by their second, to find where to begin to read again.
public struct RowTimes {
    /// The first row of a second.
    private struct Mark {
        let second: Int64
        let position: Int
    }

    private var marks = Deque<Mark>()
    /// How many seconds before the newest row are known.
    public static let seconds: Int64 = 3600

    public init() {}

    mutating func add(_ position: Int, at instant: Instant) {
        let second = instant.nanoseconds / 1_000_000_000
        // A clock that was set back adds nothing until it is past the newest second.
        if let last = marks.last, second <= last.second { return }
        marks.append(Mark(second: second, position: position))
        while let first = marks.first, first.second < second - Self.seconds {
            _ = marks.removeFirst()
        }
    }

    /// The position of a row such that all rows from this instant on are behind it, as far as they are known.
    public func position(before instant: Instant) -> Int {
        let second = instant.nanoseconds / 1_000_000_000
        var rest = marks
        var found = (rest.first?.position ?? 1) - 1
        while let mark = rest.removeFirst(), mark.second <= second { found = mark.position - 1 }
        return found
    }
}
