import EventLoop
import GameFlow
import Timers

/// How a turn of the loop is shared. Each way in has so much of it; who is left over has the next turn, so that a
/// flood by one way holds up neither the others nor what is done once a turn.
final class TimeSlices {
    private let loop: LibeventLoop
    private let limits: () -> ServerLimits
    private var began: Instant?
    private var used: [Source.Kind: Duration] = [:]
    private var left: [() -> Void] = []
    /// So many of those who are left over are called in one turn.
    private static let most = 256

    init(on loop: LibeventLoop, _ limits: @escaping () -> ServerLimits) {
        (self.loop, self.limits) = (loop, limits)
    }

    /// Whether somebody may go on who came that way. The clock has just been read.
    func hasTime(_ kind: Source.Kind) -> Bool {
        if began == nil { began = loop.timerQueue.now }
        return used[kind, default: .zero] < limits().wayTime
    }

    /// Calls whoever is left over in a later turn.
    func later(_ again: @escaping () -> Void) { left.append(again) }

    /// Somebody who came that way has done what there was to do since the clock was read.
    func spent(_ kind: Source.Kind) {
        let since = loop.sinceSettled
        used[kind, default: .zero] = used[kind, default: .zero] + since
        if let began, loop.timerQueue.now + since - began > limits().loopTime { loop.endTurn() }
    }

    /// A turn is over.
    func begin() {
        (began, used) = (nil, [:])
        guard !left.isEmpty else { return }
        let some = left.prefix(Self.most)
        left.removeFirst(some.count)
        for again in some { again() }
    }
}
