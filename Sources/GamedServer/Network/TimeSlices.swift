import EventLoop
import GameFlow
import Timers

/// Divides the time of a turn of the loop. Each kind of connection has a share; a connection
/// without time left continues in the next turn. Thus a flood over one kind delays neither the
/// other kinds nor the work that is done once per turn.
final class TimeSlices {
    private let loop: LibeventLoop
    private let limits: () -> ServerLimits
    private var began: Instant?
    private var used: [Source.Kind: Duration] = [:]
    private var left: [() -> Void] = []
    /// The number of waiting connections that are continued in one turn.
    private static let most = 256

    init(on loop: LibeventLoop, _ limits: @escaping () -> ServerLimits) {
        (self.loop, self.limits) = (loop, limits)
    }

    /// Whether connections of this kind have time left. Call it just after the clock was read.
    func hasTime(_ kind: Source.Kind) -> Bool {
        if began == nil { began = loop.timerQueue.now }
        return used[kind, default: .zero] < limits().wayTime
    }

    /// Calls `again` in a later turn.
    func later(_ again: @escaping () -> Void) { left.append(again) }

    /// Counts the time since the clock was read for this kind of connection.
    func charge(_ kind: Source.Kind) {
        let since = loop.lag
        used[kind, default: .zero] = used[kind, default: .zero] + since
        if let began, loop.timerQueue.now + since - began > limits().loopTime { loop.endTurn() }
    }

    /// Starts a new turn.
    func begin() {
        (began, used) = (nil, [:])
        guard !left.isEmpty else { return }
        let some = left.prefix(Self.most)
        left.removeFirst(some.count)
        for again in some { again() }
    }
}
