import EventLoop
import GameFlow
import Timers

/// Divides the time of a turn of the loop between the kinds of connections. All connections of a kind, such as HTTP, have one
/// share together, the limit `timePerKind`. When a kind has used its share, its connections continue in a later turn. Thus many
/// requests over one kind of connection delay neither the other kinds nor the work that is done once per turn.
final class TimeSlices {
    private let loop: LibeventLoop
    /// The limits `timePerKind` and `loopTime`.
    private var (timePerKind, loopTime): (Duration, Duration)
    /// The time at which the first connection was called in this turn; nil before that.
    private var turnStart: Instant?
    /// The time that each kind of connection has used in this turn. There are few kinds, so a list is faster than a dictionary.
    private var usedTimes: [(kind: Source.Kind, time: Duration)] = []
    /// The functions that were passed to `later`. Each continues a connection whose kind had no time left in its turn.
    private var waitingContinuations: [() -> Void] = []
    /// The maximum number of continuations that are called in one turn; the others wait for the next turn.
    private static let continuationsPerTurn = 256

    init(on loop: LibeventLoop, _ limits: borrowing ServerLimits) {
        self.loop = loop
        (timePerKind, loopTime) = (limits.timePerKind, limits.loopTime)
    }

    func set(_ limits: borrowing ServerLimits) {
        (timePerKind, loopTime) = (limits.timePerKind, limits.loopTime)
    }

    /// The index of a kind in `usedTimes`.
    private func index(of kind: Source.Kind) -> Int {
        if let index = usedTimes.firstIndex(where: { $0.kind == kind }) { return index }
        usedTimes.append((kind, .zero))
        return usedTimes.count - 1
    }

    /// Whether connections of this kind have time left in this turn. Call this function directly after `fireDueTimers`, which
    /// reads the clock. The first call in a turn takes the time that was read as the start of the turn.
    func hasTime(_ kind: Source.Kind) -> Bool {
        if turnStart == nil { turnStart = loop.timerQueue.now }
        return usedTimes[index(of: kind)].time < timePerKind
    }

    /// Calls `continuation` in a later turn.
    func later(_ continuation: @escaping () -> Void) { waitingContinuations.append(continuation) }

    /// Adds the time since `fireDueTimers` last read the clock to the time that this kind has used. Call it after work for a
    /// connection. Ends the turn of the loop if the turn has taken longer than the limit `loopTime`.
    func charge(_ kind: Source.Kind) {
        let elapsed = loop.lag
        let index = index(of: kind)
        usedTimes[index].time = usedTimes[index].time + elapsed
        if let turnStart, loop.timerQueue.now + elapsed - turnStart > loopTime {
            loop.endTurn()
        }
    }

    /// Starts a new turn, and calls the oldest continuations. Called before the loop sleeps.
    func begin() {
        turnStart = nil
        for index in usedTimes.indices { usedTimes[index].time = .zero }
        guard !waitingContinuations.isEmpty else { return }
        let continued = waitingContinuations.prefix(Self.continuationsPerTurn)
        waitingContinuations.removeFirst(continued.count)
        for continuation in continued { continuation() }
    }
}
