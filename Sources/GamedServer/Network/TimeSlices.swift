import EventLoop
import GameFlow
import Timers

/// Divides the time of a turn of the loop. Each kind of connection has a share. When a kind has used its share, its connections
/// continue in a later turn. Thus many requests over one kind of connection delay neither the other kinds nor the work that is
/// done once per turn.
final class TimeSlices {
    private let loop: LibeventLoop
    private let limits: () -> ServerLimits
    private var turnStart: Instant?
    /// The time that each kind of connection has used in this turn.
    private var usedTime: [Source.Kind: Duration] = [:]
    /// The continuations of connections without time left in this turn.
    private var waitingContinuations: [() -> Void] = []
    /// The maximum number of waiting connections that are continued in one turn.
    private static let continuationsPerTurn = 256

    init(on loop: LibeventLoop, _ limits: @escaping () -> ServerLimits) {
        (self.loop, self.limits) = (loop, limits)
    }

    /// Whether connections of this kind have time left in this turn. Call it directly after the loop has read its clock.
    func hasTime(_ kind: Source.Kind) -> Bool {
        if turnStart == nil { turnStart = loop.timerQueue.now }
        return usedTime[kind, default: .zero] < limits().timePerKind
    }

    /// Calls `continuation` in a later turn.
    func later(_ continuation: @escaping () -> Void) { waitingContinuations.append(continuation) }

    /// Adds the time since the loop last read its clock to the time that this kind has used. Ends the turn of the loop if it
    /// has taken longer than the limit `loopTime`.
    func charge(_ kind: Source.Kind) {
        let elapsed = loop.lag
        usedTime[kind, default: .zero] = usedTime[kind, default: .zero] + elapsed
        if let turnStart, loop.timerQueue.now + elapsed - turnStart > limits().loopTime {
            loop.endTurn()
        }
    }

    /// Starts a new turn, and continues connections that waited.
    func begin() {
        (turnStart, usedTime) = (nil, [:])
        guard !waitingContinuations.isEmpty else { return }
        let continued = waitingContinuations.prefix(Self.continuationsPerTurn)
        waitingContinuations.removeFirst(continued.count)
        for continuation in continued { continuation() }
    }
}
