public import Timers

/// What earlier restarts have done to time.
public struct Restarts: Equatable, Sendable {
    /// How long it stood still for timers that stand still with it.
    public var stoodStill = Duration.zero
    /// When the last of them was; nil if there was none.
    public var last: Instant?

    public init() {}
}

/// The daemon's starts, in the order of their rows: a timer whose row is older was restored by each of them.
public struct Starts: Sendable {
    private var positions: [Int] = []
    /// How long the daemon was down before each start and all before it.
    private var downs: [Duration] = []
    private var last: Instant?

    public init() {}

    /// A start whose row has a position; the daemon was last known to be up at `lastSign`.
    public mutating func add(_ position: Int, at now: Instant, lastSign: Instant) {
        positions.append(position)
        downs.append((downs.last ?? .zero) + max(now - lastSign, .zero))
        last = now
    }

    /// What the starts did whose rows are behind a position.
    public func restarts(after position: Int) -> Restarts {
        var (low, high) = (0, positions.count)
        while low < high {
            let middle = (low + high) / 2
            if positions[middle] <= position { low = middle + 1 } else { high = middle }
        }
        guard low < positions.count, let total = downs.last else { return Restarts() }
        var restarts = Restarts()
        restarts.stoodStill = total - (low > 0 ? downs[low - 1] : .zero)
        restarts.last = last
        return restarts
    }
}
