internal import GameFlow
internal import Timers

/// The sessions that were restored and are not decoded yet.
///
/// A session is decoded when it is needed: for a request, before one of its timers can be due, or in the background. It then
/// becomes what it would be if it had been decoded at the restart: none of its timers was due since, its numbers in the order of
/// setting are recorded, and `Downtime` says how the timers followed the restart.
final class UnreadSessions {
    let rows: any SessionRows
    /// Whether a session is not decoded yet, by its number.
    private var isUnread: [Bool] = []
    private(set) var count = 0
    /// The sessions with a running timer, by their deadlines, the earliest last. Sessions that were decoded meanwhile stay in it.
    private var deadlines: [(deadline: Instant, number: Int)] = []
    /// The first number that the background has not looked at.
    private var nextInBackground = 0
    /// The highest number of a timer of these sessions in the order of setting.
    private(set) var order: UInt64 = 0
    /// The instant of the restart. All deadlines are later.
    let restartedAt: Instant
    /// The daemon's starts, with this restart.
    let starts: Starts
    private var alarm: DecodingAlarm?

    /// `starts` are the earlier starts; the daemon ran until `lastAlive`.
    init(_ rows: any SessionRows, restartedAt: Instant, lastAlive: Instant, _ starts: Starts) {
        (self.rows, self.restartedAt) = (rows, restartedAt)
        var starts = starts
        starts.add(.max, SessionRecord.Start(now: restartedAt, lastAlive: lastAlive))
        self.starts = starts
    }

    /// Adds a session, if none of its timers is due yet. Returns whether it was added.
    func add(_ number: Int, _ bounds: TimerBounds) -> Bool {
        if let deadline = bounds.deadline {
            // A deadline that no timer can have comes from a damaged or foreign journal.
            guard deadline > restartedAt, deadline <= .last + .longest else { return false }
            deadlines.append((deadline, number))
        }
        while isUnread.count <= number { isUnread.append(false) }
        isUnread[number] = true
        count += 1
        order = max(order, bounds.order)
        return true
    }

    /// The number of a session that is not decoded yet; nil for any other name.
    func number(of name: SessionName) -> Int? {
        rows.number(of: name).flatMap { $0 < isUnread.count && isUnread[$0] ? $0 : nil }
    }

    /// Notes that a session is being decoded. Returns false if it was decoded before.
    func remove(_ number: Int) -> Bool {
        guard isUnread[number] else { return false }
        isUnread[number] = false
        count -= 1
        return true
    }

    /// The numbers of these sessions, and of others that were decoded.
    var numbers: Range<Int> { isUnread.indices }

    /// Whether the session with this number, one of `numbers`, is not decoded yet.
    func contains(_ number: Int) -> Bool { isUnread[number] }

    var all: [Int] { isUnread.indices.filter { isUnread[$0] } }

    /// The next `limit` sessions in the order of their rows, for the background.
    func next(_ limit: Int) -> [Int] {
        var numbers: [Int] = []
        while nextInBackground < isUnread.count, numbers.count < limit {
            if isUnread[nextInBackground] { numbers.append(nextInBackground) }
            nextInBackground += 1
        }
        return numbers
    }

    // MARK: deadlines

    /// Calls `decode` with the sessions whose deadline has come, before any timer of that instant fires. Call it once, after all
    /// sessions were added and their timers' numbers are reserved.
    func followDeadlines(on timerQueue: TimerQueue, _ decode: @escaping ([Int]) -> Void) {
        deadlines.sort { $0.deadline > $1.deadline }
        alarm = DecodingAlarm(on: timerQueue) { [unowned self] in
            decode(takeDue(by: timerQueue.now))
        }
        setAlarm()
    }

    private func takeDue(by now: Instant) -> [Int] {
        var due: [Int] = []
        while let last = deadlines.last, last.deadline <= now {
            due.append(last.number)
            deadlines.removeLast()
        }
        setAlarm()
        return due
    }

    private func setAlarm() {
        while let last = deadlines.last, !isUnread[last.number] { deadlines.removeLast() }
        if let last = deadlines.last { alarm?.set(at: last.deadline) }
    }
}

/// A timer that fires before all other timers of the same instant.
private final class DecodingAlarm: TimerOwner {
    private let timerQueue: TimerQueue
    private var group = TimerGroup()
    private let work: () -> Void

    init(on timerQueue: TimerQueue, _ work: @escaping () -> Void) {
        (self.timerQueue, self.work) = (timerQueue, work)
    }

    deinit { timerQueue.end(group) }

    func set(at instant: Instant) {
        timerQueue.end(group)
        group = TimerGroup()
        let timer = timerQueue.setCountdown(.longest, in: &group, for: self)
        timerQueue.restore(timer.id, total: .longest, firingAt: instant, order: 0)
    }

    override func due(_ firing: Firing) { work() }
}
