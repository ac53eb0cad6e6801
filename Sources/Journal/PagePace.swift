/// The number of rows of the pages in which a journal is read. Rows differ in size, and so does the work for a row. The number
/// follows the time that the pages take, so that no page holds the loop for long.
package final class PagePace {
    /// The number of rows of the next page.
    package private(set) var rows = 32

    /// The range of `rows`.
    private static let limits = 8...1000
    /// Pages that take less time become larger, and pages that take more time become smaller.
    private static let (shortTime, longTime) = (Duration.milliseconds(1), Duration.milliseconds(3))

    package init() {}

    /// Handles a page of `count` rows, and adapts the number of rows to the time that this takes.
    package func measure<Result>(_ count: Int, _ handle: () -> Result) -> Result {
        let start = ContinuousClock.now
        let result = handle()
        adapt(to: ContinuousClock.now - start, for: count)
        return result
    }

    /// Adapts the number of rows after a page of `count` rows that took `time`.
    package func adapt(to time: Duration, for count: Int) {
        if time > Self.longTime {
            // Below one, the quotient is the part of the page that would have taken the right time.
            let rows = Double(max(count, 1)) * (Self.longTime / time)
            self.rows = max(Self.limits.lowerBound, min(self.rows, Int(rows)))
        } else if time < Self.shortTime, count >= rows {
            rows = min(Self.limits.upperBound, 2 * rows)
        }
    }
}
