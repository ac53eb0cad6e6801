public import Timers

/// Determines how one timer continues after a restart, from its record, its declared policy and the downtime.
struct TimerRestart {
    let policy: AfterRestart
    /// The traits that the flow declares for the timer.
    let traits: TimerTraits
    let downtime: Downtime
    /// Gives the present instant, which is read only if necessary, because reading a real clock takes time.
    let timerQueue: TimerQueue

    private var isPendulum: Bool { traits.contains(.pendulum) }

    /// Returns the recorded traits that the timer still has. If it starts again, it has not fired.
    func traits(of record: TimerRecord) -> TimerTraits {
        let startsAgain =
            policy == .restart && !record.isPaused
            && (!wasDaemonRunning || downtime.restartedAt != nil)
        return startsAgain ? [] : record.traits
    }

    /// Returns how to set the timer, so that it continues as `policy` says.
    func setting(of record: TimerRecord) -> RestoredTimer.Setting {
        switch (policy, record.state) {
        // The daemon was restarted after the snapshot, now or earlier.
        case (.drop, _) where downtime.lastAlive != nil || downtime.restartedAt != nil: .dropped
        // A timer that was paused at the snapshot stays paused.
        case (_, .paused(let remaining)): .paused(remaining: remaining)
        case (_, .running(let until)): running(record, until: until)
        }
    }

    /// Returns how to set a timer that ran at the snapshot. `until` is its recorded deadline.
    private func running(_ record: TimerRecord, until: Instant) -> RestoredTimer.Setting {
        switch policy {
        // After a downtime, the timer keeps its recorded deadline, even if the timer is a pendulum. If the deadline has passed,
        // the timer fires at once.
        case .deadline, .drop:
            wasDaemonRunning ? atNextDeadline(record, until) : .firing(at: until)
        case .remaining: withTimeLeft(record, until + downtime.earlierDowntime)
        // The timer started again at `restartedAt`, if there was such a restart.
        case .restart where wasDaemonRunning:
            atNextDeadline(record, downtime.restartedAt.map { $0 + record.total } ?? until)
        case .restart: .firingAfter(record.total)
        }
    }

    /// Whether the daemon has run without interruption since the snapshot, or since `restartedAt`. A machine is then restored for
    /// another reason than a restart of the daemon, for example after a failed commit.
    private var wasDaemonRunning: Bool { downtime.lastAlive == nil }

    /// Returns how to set a timer that does not run during a downtime. `until` is its recorded deadline, moved by the earlier
    /// downtimes. If the daemon was down until now, the time that was left at `lastAlive` begins when the timer is set.
    private func withTimeLeft(_ record: TimerRecord, _ until: Instant) -> RestoredTimer.Setting {
        guard let lastAlive = downtime.lastAlive else {
            // What never fires does not wait for the end of a downtime.
            if record.traits.isSilent { return .firing(at: until) }
            // If the deadline passed during an earlier downtime, the timer fired at the end of that downtime, at `restartedAt`.
            return isPendulum
                ? atNextDeadline(record, until)
                : .firing(at: max(until, downtime.restartedAt ?? until))
        }
        return .firingAfter(timeLeft(record, until, at: lastAlive))
    }

    /// Returns how to set a timer to its next deadline. Beats are not recorded, so a pendulum may have fired after its record
    /// was made. It keeps its phase, and the beats that it missed are lost. `until` is the recorded deadline.
    private func atNextDeadline(_ record: TimerRecord, _ until: Instant) -> RestoredTimer.Setting {
        guard isPendulum else { return .firing(at: until) }
        if let pendulum = downtime.pendulums[record.fires] { return .firing(at: pendulum.due) }
        let since = downtime.since ?? timerQueue.now
        let due = since + timeLeft(record, until, at: since)
        return due == until ? .firing(at: until) : .beatingAgain(at: due)
    }

    /// Returns the time from `instant` until the timer fires next; zero for an overdue countdown. `until` is the deadline.
    private func timeLeft(_ record: TimerRecord, _ until: Instant, at instant: Instant) -> Duration
    {
        let left = until - instant
        if record.traits.isSilent { return left }
        guard left <= .zero, isPendulum else { return max(left, .zero) }
        let period = record.total.nanoseconds
        return Duration.nanoseconds(period - (-left.nanoseconds) % period)
    }
}

/// A timer of a restored machine, and how to set the timer. The type is small and has no references, because a restart can have
/// a million restored timers.
public struct RestoredTimer {
    private let id: TimerID
    /// The timer's number in the order in which timers were set.
    private let order: UInt64
    /// A countdown's full duration with its extensions; a pendulum's period.
    private let totalNs: Int64
    /// The deadline, the time until the deadline, or the remaining time, in nanoseconds, depending on `kind`.
    private let timeNs: Int64
    private let kind: Kind
    /// The recorded traits that the timer still has.
    private let traits: TimerTraits

    private enum Kind { case dropped, paused, firing, firingAfter, beatingAgain }

    /// How to set a timer.
    enum Setting {
        /// The timer ends.
        case dropped
        case paused(remaining: Duration)
        case firing(at: Instant)
        /// The timer fires this long after the instant at which it is set.
        case firingAfter(Duration)
        /// The timer is a pendulum that fired after its record was made. The firing set the pendulum again. So the pendulum has
        /// a higher number in the order of setting than the session's other timers.
        case beatingAgain(at: Instant)
    }

    init(
        _ id: TimerID, _ record: TimerRecord, _ traits: TimerTraits, order: UInt64,
        _ setting: Setting
    ) {
        self.traits = traits
        (self.id, self.order, totalNs) = (id, order, record.total.nanoseconds)
        (kind, timeNs) =
            switch setting {
            case .dropped: (.dropped, 0)
            case .paused(let remaining): (.paused, remaining.nanoseconds)
            case .firing(let deadline): (.firing, deadline.nanoseconds)
            case .firingAfter(let left): (.firingAfter, left.nanoseconds)
            case .beatingAgain(let deadline): (.beatingAgain, deadline.nanoseconds)
            }
    }

    /// Sets the timers of several machines in their recorded order. Then sets the pendulums that fired after their records were
    /// made. Timers that are set later get higher numbers than all these timers. Pass true for `queueIsEmpty` if the timer
    /// queue has no other timers; the numbers then begin at 0 again. The pendulums, and timers that are set later, get numbers
    /// after `order`, which is the highest number of a timer that is restored later.
    public static func set(
        _ timers: [RestoredTimer], on timerQueue: TimerQueue, queueIsEmpty: Bool,
        after order: UInt64 = 0
    ) {
        if queueIsEmpty, !timers.isEmpty { timerQueue.restartOrder() }
        var (timers, firedPendulums) = (timers, timers.filter { $0.kind == .beatingAgain })
        if !firedPendulums.isEmpty { timers.removeAll { $0.kind == .beatingAgain } }
        // The fired pendulums are set last: each beat had set them again, after the other timers.
        defer {
            timerQueue.reserveOrder(upTo: order)
            firedPendulums.sort {
                $0.lastBeatNs == $1.lastBeatNs ? $0.order < $1.order : $0.lastBeatNs < $1.lastBeatNs
            }
            for timer in firedPendulums { timer.set(on: timerQueue) }
        }
        if zip(timers, timers.dropFirst()).allSatisfy({ $0.order <= $1.order }) {
            for timer in timers { timer.set(on: timerQueue) }
        } else {
            // Pairs of numbers are sorted and not the timers, which are larger.
            let ordersAndIndices = timers.indices.map { (order: timers[$0].order, index: $0) }
            for (_, index) in ordersAndIndices.sorted(by: { $0.order < $1.order }) {
                timers[index].set(on: timerQueue)
            }
        }
    }

    /// The instant of a pendulum's most recent beat, at which it was set again.
    private var lastBeatNs: Int64 {
        let (instant, overflow) = timeNs.subtractingReportingOverflow(totalNs)
        return overflow ? .min : instant
    }

    private func set(on timerQueue: TimerQueue) {
        let (total, time) = (Duration.nanoseconds(totalNs), Duration.nanoseconds(timeNs))
        switch kind {
        case .dropped: timerQueue.drop(id)
        case .paused: timerQueue.restore(id, total: total, traits, pausedWith: time)
        case .firing:
            timerQueue.restore(
                id, total: total, traits, firingAt: Instant(nanoseconds: timeNs), order: order)
        case .firingAfter:
            timerQueue.restore(
                id, total: total, traits, firingAt: timerQueue.now + time, order: order)
        case .beatingAgain:
            let deadline = Instant(nanoseconds: timeNs)
            timerQueue.restore(id, total: total, firingAt: deadline, order: order)
            // Gives the pendulum a new number in the order of setting, as a beat does.
            timerQueue.skip(id, to: deadline)
        }
    }
}

/// How time passed between a machine's snapshot and its restoration.
public struct Downtime: Sendable {
    /// The sum of the downtimes after the snapshot, without the downtime that ends now.
    public let earlierDowntime: Duration
    /// The instant of the daemon's most recent restart after the snapshot, without the restart that happens now. Nil if the
    /// daemon was not restarted between the snapshot and now.
    public let restartedAt: Instant?
    /// The latest instant at which the daemon is known to have run before the downtime that ends now. Nil if no downtime ends
    /// now: the daemon has run without interruption since the snapshot, or since `restartedAt`.
    public let lastAlive: Instant?
    /// The instant from which pendulums continue. Beats before this instant have happened, although they are not recorded. Nil
    /// means now.
    public let since: Instant?
    /// The instant of the snapshot, if the caller knows it. A mark that a countdown has passed since then fires.
    public let snapshotAt: Instant?
    /// The pendulums whose next beats are known more exactly than from the record, by their signals.
    public let pendulums: [String: NextBeat]

    /// The next deadline of a pendulum, and its number in the order of setting, which increases with each beat.
    public struct NextBeat: Sendable {
        public let due: Instant
        public let order: UInt64

        public init(due: Instant, order: UInt64) { (self.due, self.order) = (due, order) }
    }

    public init(
        lastAlive: Instant?, earlierDowntime: Duration = .zero, restartedAt: Instant? = nil,
        snapshotAt: Instant? = nil
    ) {
        self.snapshotAt = snapshotAt
        (self.lastAlive, self.earlierDowntime, self.restartedAt) = (
            lastAlive, earlierDowntime, restartedAt
        )
        (since, pendulums) = (nil, [:])
    }

    /// Creates a `Downtime` for a machine that is restored although the daemon is running without interruption. The machine
    /// continues as it was at the instant `since`.
    public init(
        since: Instant, pendulums: [String: NextBeat], earlierDowntime: Duration,
        restartedAt: Instant?, snapshotAt: Instant? = nil
    ) {
        self.snapshotAt = snapshotAt
        (lastAlive, self.earlierDowntime, self.restartedAt) = (nil, earlierDowntime, restartedAt)
        (self.since, self.pendulums) = (since, pendulums)
    }
}
