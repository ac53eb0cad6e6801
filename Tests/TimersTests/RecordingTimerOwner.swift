import Timers

/// An owner that records the firings of its timers, and calls `onDue` for each.
final class RecordingTimerOwner: TimerOwner {
    let timerQueue: TimerQueue
    var group = TimerGroup()
    /// The tag of each firing's timer.
    var firedTags: [UInt8] = []
    /// The number of missed beats of each firing.
    var missed: [Int] = []
    /// The time of each firing.
    var instants: [Instant] = []
    var onDue: ((UInt8) -> Void)?

    init(_ timerQueue: TimerQueue) { self.timerQueue = timerQueue }
    deinit { timerQueue.end(group) }

    override func due(_ firing: Firing) {
        firedTags.append(firing.tag)
        missed.append(firing.missed)
        instants.append(timerQueue.now)
        onDue?(firing.tag)
    }

    @discardableResult func countdown(_ total: Duration, _ tag: UInt8 = 0) -> Countdown {
        timerQueue.setCountdown(total, tag: tag, in: &group, for: self)
    }

    @discardableResult func pendulum(_ period: Duration, _ tag: UInt8 = 0) -> Pendulum {
        timerQueue.setPendulum(period, tag: tag, in: &group, for: self)
    }

    func endAll() {
        timerQueue.end(group)
        group = TimerGroup()
    }
}
