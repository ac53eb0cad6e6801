package import EventLoop
import Timers

/// Divides the time of a turn of the loop between the kinds of connections. All connections of a kind, such as HTTP, have one
/// share together. When a kind has used its share, its connections continue in a later turn. Thus many requests over one kind of
/// connection delay neither the other kinds nor the work that is done once per turn.
package final class TimeSlices {
    private let loop: LibeventLoop
    /// The maximum time of each kind in a turn, and the approximate maximum duration of a turn.
    private let (timePerKind, loopTime): (Duration, Duration)
    /// The time at which the first connection was called in this turn; nil before that.
    @exclusivity(unchecked) private var turnStart: Instant?
    /// The number of the present turn.
    @exclusivity(unchecked) private var turn = 0
    /// The functions that were passed to `later`. Each continues a connection whose kind had no time left in its turn.
    private var waitingContinuations: [() -> Void] = []
    /// The maximum number of continuations that are called in one turn; the others wait for the next turn.
    private static let continuationsPerTurn = 256

    package init(on loop: LibeventLoop, timePerKind: Duration, loopTime: Duration) {
        (self.loop, self.timePerKind, self.loopTime) = (loop, timePerKind, loopTime)
    }

    /// The share of one kind of connections.
    package final class Share {
        private let slices: TimeSlices
        /// The time that the kind has used in the turn `turn`; in a later turn it has used none.
        @exclusivity(unchecked) private var usedTime = Duration.zero
        @exclusivity(unchecked) private var turn = 0

        /// The share of a further kind of connections.
        package init(of slices: TimeSlices) { self.slices = slices }

        /// Whether connections of this kind have time left in this turn. Call this directly after `fireDueTimers`, which reads the
        /// clock. The first call in a turn takes the time that was read as the start of the turn.
        package var hasTime: Bool {
            slices.startTurn()
            return turn != slices.turn || usedTime < slices.timePerKind
        }

        /// Calls `continuation` in a later turn.
        package func later(_ continuation: @escaping () -> Void) {
            slices.waitingContinuations.append(continuation)
        }

        /// Adds the time since `fireDueTimers` last read the clock to the time that this kind has used. Call it after work for a
        /// connection. Ends the turn of the loop if the turn has taken too long.
        package func charge() {
            let elapsed = slices.loop.lag
            usedTime = turn == slices.turn ? usedTime + elapsed : elapsed
            turn = slices.turn
            slices.endLongTurn(after: elapsed)
        }
    }

    private func startTurn() {
        if turnStart == nil { turnStart = loop.timerQueue.now }
    }

    /// Ends the turn of the loop if it has taken longer than `loopTime`. `elapsed` is the time since the clock was read.
    private func endLongTurn(after elapsed: Duration) {
        guard let turnStart, loop.timerQueue.now + elapsed - turnStart > loopTime else { return }
        loop.endTurn()
    }

    /// Starts a new turn, and calls the oldest continuations. Called before the loop sleeps.
    package func begin() {
        turnStart = nil
        turn += 1
        guard !waitingContinuations.isEmpty else { return }
        let continued = waitingContinuations.prefix(Self.continuationsPerTurn)
        waitingContinuations.removeFirst(continued.count)
        for continuation in continued { continuation() }
    }
}
