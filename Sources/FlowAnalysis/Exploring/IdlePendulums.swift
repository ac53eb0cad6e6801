internal import GameFlow
internal import Timers

/// The idle pendulums of a state. The beats of an idle pendulum change nothing, so a trial's clock can skip most of these
/// beats.
///
/// A selector is a pure function of the state, the event and the time left on the state's timers. A pendulum is idle after a
/// beat that changed nothing and during which the selector read no timer. Later beats of this pendulum also change nothing,
/// because the selector reads the same state and event. The pendulum stays idle until another event or timer changes the state
/// or its data.
struct IdlePendulums {
    /// The tags of the idle pendulums. A timer's tag is the raw value of the signal that it sends.
    private(set) var tags: Set<UInt8> = []

    /// Adds a pendulum after a beat that changed nothing and during which no timer was read.
    mutating func insert(_ tag: UInt8) { tags.insert(tag) }

    /// Removes all tags, because the state or its data may have changed.
    mutating func clear() { if !tags.isEmpty { tags = [] } }

    /// Moves the idle pendulums forward, to shortly before the horizon: the next deadline of another timer, or `limit` if
    /// `limit` is earlier. Each idle pendulum still makes at least two beats before the horizon. So timers that are due at one
    /// instant fire in the same order as without the skip. `awaited` are the signals for which the caller waits: their
    /// pendulums are not moved. Returns false if only idle pendulums are set and there is no limit (`limit` is `Instant.last`):
    /// then nothing will ever happen.
    func skip(
        _ machine: AnyMachine, on queue: TimerQueue, before limit: Instant, awaited: [String] = []
    )
        -> Bool
    {
        guard !tags.isEmpty else { return true }
        let timers = machine.liveTimers.filter { !$0.info.isPaused }
        let idle = timers.filter { isIdle($0, awaited) }
        guard let longestPeriod = idle.map(\.info.total).max() else { return true }
        let otherDeadlines = timers.filter { !isIdle($0, awaited) }.compactMap(\.info.deadline)
        guard let horizon = (otherDeadlines + [limit]).min() else { return true }
        if otherDeadlines.isEmpty, limit == .last { return false }
        // Between this instant and the horizon, the longest period fits twice. So even the pendulum with the longest period
        // makes two beats before the horizon.
        let instant = horizon + (Duration.zero - longestPeriod * 2)
        let skips = idle.compactMap { Skip($0, to: instant) }
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
        /// Whether the deadline changes: false if the present deadline is already at or after the given instant.
        let isForward: Bool

        /// Nil if the timer has no deadline.
        init?(_ timer: LiveTimer, to instant: Instant) {
            guard let presentDeadline = timer.info.deadline else { return nil }
            let period = timer.info.total.nanoseconds
            let gap = (instant - presentDeadline).nanoseconds
            // The number of beats that are skipped: the gap divided by the period, rounded up.
            let beats = gap > 0 ? gap / period + (gap % period == 0 ? 0 : 1) : 0
            (self.timer, isForward) = (timer, beats > 0)
            deadline = presentDeadline + Duration.nanoseconds(beats * period)
        }

        private var period: Duration { timer.info.total }
        /// The instant of the beat before the new deadline. That beat would have set the new deadline.
        private var lastSkippedBeat: Instant { deadline + (Duration.zero - period) }

        /// Whether `a` is moved before `b`: the order in which the skipped beats would have set the new deadlines.
        static func < (a: Skip, b: Skip) -> Bool {
            if a.lastSkippedBeat != b.lastSkippedBeat {
                return a.lastSkippedBeat < b.lastSkippedBeat
            }
            // If the two skipped beats are at the same instant, the pendulum that was set earlier fires first. Each beat sets
            // its pendulum again. So the pendulum with the longer period was set earlier: its previous beat was earlier.
            if a.period != b.period { return a.period > b.period }
            return a.timer.info.order < b.timer.info.order  // `order` counts the settings of timers
        }

        /// Required by `Comparable`; a sort uses only `<`.
        static func == (a: Skip, b: Skip) -> Bool { a.timer.id == b.timer.id }
    }
}
