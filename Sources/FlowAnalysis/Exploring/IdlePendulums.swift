internal import GameFlow
internal import Timers

/// The pendulums of a state whose beats change nothing, so that the clock can skip most of these beats.
///
/// A selector is a pure function of the state, the event and the time left on the state's timers. If a beat changed nothing,
/// and the selector read no timer during that beat, every later beat also changes nothing until another event or timer
/// changes the state or its data.
struct IdlePendulums {
    /// The tags of the pendulums. A timer's tag is the raw value of the signal that it sends.
    private(set) var tags: Set<UInt8> = []

    /// Notes a beat that changed nothing and read no timer.
    mutating func insert(_ tag: UInt8) { tags.insert(tag) }

    /// Removes all tags, because the state or its data may have changed.
    mutating func clear() { if !tags.isEmpty { tags = [] } }

    /// Moves the idle pendulums forward to shortly before the next deadline of another timer, or shortly before `limit`. Each
    /// idle pendulum still makes at least two beats before that instant. So timers that are due at one instant fire in the
    /// same order as without the skip. The pendulums that send one of the signals `awaited` are not moved. Returns false if
    /// only idle pendulums are set and there is no limit: then nothing will ever happen.
    func skip(
        _ machine: AnyMachine, on queue: TimerQueue, before limit: Instant, awaited: [String] = []
    )
        -> Bool
    {
        guard !tags.isEmpty else { return true }
        let timers = machine.liveTimers.filter { !$0.info.isPaused }
        let idle = timers.filter { isIdle($0, awaited) }
        guard let longest = idle.map(\.info.total).max() else { return true }
        let otherDeadlines = timers.filter { !isIdle($0, awaited) }.compactMap(\.info.deadline)
        guard let horizon = (otherDeadlines + [limit]).min() else { return true }
        if otherDeadlines.isEmpty, limit == .last { return false }
        // Two periods before the horizon: then even the pendulum with the longest period makes two beats before it.
        let skips = idle.compactMap {
            Skip($0, to: horizon + (Duration.zero - longest * 2))
        }
        guard skips.contains(where: \.isForward) else { return true }
        // Timers with the same deadline fire in the order in which they were set, and each beat sets its pendulum again. So the
        // pendulums are moved in the order in which their beats before the new deadlines would have set them.
        for skip in skips.sorted() { queue.skip(skip.timer.id, to: skip.deadline) }
        return true
    }

    private func isIdle(_ timer: LiveTimer, _ awaited: [String]) -> Bool {
        timer.info.isPendulum && tags.contains(timer.info.tag) && !awaited.contains(timer.fires)
    }

    /// The move of a pendulum to its first deadline at or after a given instant.
    private struct Skip: Comparable {
        let timer: LiveTimer
        /// The deadline after the move.
        let deadline: Instant
        let isForward: Bool

        /// Nil if the timer has no deadline.
        init?(_ timer: LiveTimer, to instant: Instant) {
            guard let presentDeadline = timer.info.deadline else { return nil }
            let period = timer.info.total.nanoseconds
            let gap = (instant - presentDeadline).nanoseconds
            // The number of beats before the instant, rounded up.
            let beats = gap > 0 ? gap / period + (gap % period == 0 ? 0 : 1) : 0
            (self.timer, isForward) = (timer, beats > 0)
            deadline = presentDeadline + Duration.nanoseconds(beats * period)
        }

        private var period: Duration { timer.info.total }
        /// The beat before the new deadline.
        private var beatBefore: Instant { deadline + (Duration.zero - period) }

        static func < (a: Skip, b: Skip) -> Bool {
            if a.beatBefore != b.beatBefore { return a.beatBefore < b.beatBefore }
            // If both beat at one instant, the pendulum that was set earlier fires first. The pendulum with the longer period
            // was set earlier, because its previous beat was earlier.
            if a.period != b.period { return a.period > b.period }
            return a.timer.info.order < b.timer.info.order
        }

        static func == (a: Skip, b: Skip) -> Bool { a.timer.id == b.timer.id }
    }
}
