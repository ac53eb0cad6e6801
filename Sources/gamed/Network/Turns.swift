import GameFlow
import Timers

/// How a turn of the loop is shared. Each way in has so much of it; who is left over has the next turn, so that a
/// flood by one way holds up neither the others nor what is done once a turn.
final class Turns {
    private let loop: EventLoop
    private var limits: () -> ServerLimits
    private var began: Instant?
    private var used: [Source.Kind: Interval] = [:]
    private var left: [() -> Void] = []
    /// So many of those who are left over are called in one turn.
    private static let most = 256

    init(on loop: EventLoop, _ limits: @escaping () -> ServerLimits) {
        (self.loop, self.limits) = (loop, limits)
    }

    /// Whether somebody may go on who came that way; if not, `again` is called in a later turn. The clock has
    /// just been read.
    func admit(_ kind: Source.Kind, again: () -> () -> Void) -> Bool {
        let now = loop.agenda.now
        if began == nil { began = now }
        guard used[kind, default: .zero] < limits().wayTime else {
            left.append(again())
            return false
        }
        return true
    }

    /// Somebody who came that way has done what there was to do since the clock was read.
    func spent(_ kind: Source.Kind) {
        let since = loop.sinceSettled
        used[kind, default: .zero] = used[kind, default: .zero] + since
        if let began, loop.agenda.now + since - began > limits().loopTime { loop.endTurn() }
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
