/// The one ordered queue of everything that is to happen on a timeline: by deadline, then by the order
/// of setting, on the real clock and the virtual one alike. Holds a million live timers.
///
/// Setting and ending a timer of a common duration takes the same short time however many there are.
/// Belongs to one thread, like all that stands on it.
public final class TimerQueue {
    // No access to these is held over code of somebody else, and the queue belongs to one thread: that no two
    // accesses overlap needs no check at run time, which would take more time than setting a timer.
    @safe @exclusivity(unchecked) private var present: Instant
    /// Reads the time for a clock that does not move it by itself before each piece of work; nil for others.
    @safe @exclusivity(unchecked) private var source: (() -> Instant)?
    @safe @exclusivity(unchecked) private(set) var queue = TimerStorage()
    /// What handles refer to; made with the first timer.
    @safe @exclusivity(unchecked) private var knownReference: QueueReference?

    /// Called when a timer is set before `alertsBefore`: by a clock that has to wake up for it.
    @safe @exclusivity(unchecked) private var alert: (() -> Void)?
    @safe @exclusivity(unchecked) private var alertsBefore = Int64.min

    /// A queue whose time begins at `start`.
    public init(startingAt start: Instant = .zero) { present = start }

    deinit { knownReference?.clear() }

    /// The present instant. It moves only forward, and only a `TimerClock` moves it.
    public var now: Instant {
        if let source { move(to: source()) }
        return present
    }

    /// How many timers are live, the paused ones included.
    public var count: Int { queue.count }

    /// When the first timer is due; nil when none is set, or all are paused.
    public var next: Instant? {
        let first = queue.first
        return first.slot == none ? nil : Instant(nanoseconds: first.deadline)
    }

    /// Makes room for so many timers at once, where the number is known.
    public func reserve(_ n: Int) { queue.reserve(n) }

    // MARK: setting and ending

    /// Sets a timer in `group`, to fire once after `remaining`, or after all of `total`.
    @inlinable public func setCountdown(
        _ total: Duration, remaining: Duration? = nil, tag: UInt8 = 0, in group: inout TimerGroup,
        for owner: TimerOwner
    ) -> Countdown {
        let total = total.nanoseconds
        return setCountdown(total, remaining?.nanoseconds ?? total, tag, &group, owner)
    }

    /// Sets a timer in `group`, to fire each time a `period` is over. A period is at least 1 ms:
    /// one of nothing would be due for ever.
    @inlinable public func setPendulum(
        _ period: Duration, tag: UInt8 = 0, in group: inout TimerGroup, for owner: TimerOwner
    ) -> Pendulum {
        setPendulum(period.nanoseconds, tag, &group, owner)
    }

    @usableFromInline func setCountdown(
        _ total: Int64, _ remaining: Int64, _ tag: UInt8, _ group: inout TimerGroup,
        _ owner: TimerOwner
    ) -> Countdown {
        Countdown(reference: reference, id: set(total, remaining, tag, false, &group, owner))
    }

    @usableFromInline func setPendulum(
        _ period: Int64, _ tag: UInt8, _ group: inout TimerGroup, _ owner: TimerOwner
    ) -> Pendulum {
        precondition(period >= 1_000_000, "a pendulum's period is at least 1 ms")
        return Pendulum(reference: reference, id: set(period, period, tag, true, &group, owner))
    }

    private var reference: QueueReference {
        if let knownReference { return knownReference }
        let reference = QueueReference(to: self)
        knownReference = reference
        return reference
    }

    private func set(
        _ total: Int64, _ remaining: Int64, _ tag: UInt8, _ isPendulum: Bool,
        _ group: inout TimerGroup, _ owner: TimerOwner
    ) -> TimerID {
        precondition(total >= 0 && remaining >= 0, "a timer's time is not negative")
        queue.set(
            owner, deadline: sum(now.nanoseconds, min(remaining, Duration.longestNanoseconds)),
            total: min(total, Duration.longestNanoseconds), tag: tag, isPendulum: isPendulum,
            in: &group)
        if alertsBefore > .min { alertIfEarlier(group.last) }
        return group.last
    }

    /// Ends a group's timers. Ending it twice, or one that was never set, does nothing.
    public func end(_ group: TimerGroup) { queue.end(group) }

    /// Ends a group's timers, and lets those of another one, which is empty afterwards, take their place. Returns the
    /// present instant.
    @discardableResult public func replace(
        _ group: inout TimerGroup, with new: inout TimerGroup
    ) -> Instant {
        queue.end(group)
        group = new
        new = TimerGroup()
        return now
    }

    // MARK: looking

    /// The timers of a group that are still to fire, in the order in which they were set.
    public func timers(of group: TimerGroup) -> [TimerID] {
        var ids: [TimerID] = []
        var id = group.first
        while let i = queue.slot(of: id) {
            if queue.live(id) != nil { ids.append(id) }
            id = queue.sibling(of: i)
        }
        return ids
    }

    /// What is known of a timer; nil once it has fired for the last time or has ended.
    public func info(_ id: TimerID) -> TimerInfo? { queue.live(id).map(info(at:)) }

    private func info(at i: Int) -> TimerInfo {
        let (slot, link) = (queue.slots[i], queue.links[i])
        let isPaused = link.place == .paused
        return TimerInfo(
            tag: link.tag, isPendulum: link.isPendulum, isPaused: isPaused,
            remaining: Duration.nanoseconds(
                isPaused ? slot.deadline : max(0, slot.deadline - now.nanoseconds)),
            total: Duration.nanoseconds(slot.total),
            deadline: isPaused ? nil : Instant(nanoseconds: slot.deadline), order: slot.sequence)
    }

    /// Everything that is still to happen, in the order in which it will; the paused come last.
    /// For tests and diagnosis: it looks at every timer there is.
    public var pending: [TimerInfo] {
        queue.slots.indices.filter { queue.links[$0].place != .nowhere }
            .map { (order: queue.slots[$0].sequence, info: info(at: $0)) }
            .sorted {
                let (a, b) = ($0.info.deadline?.nanoseconds, $1.info.deadline?.nanoseconds)
                return (a ?? .max, $0.order) < (b ?? .max, $1.order)
            }
            .map(\.info)
    }

    // MARK: operating

    /// Stops a timer's time; it keeps what it has left. Pausing twice changes nothing.
    public func pause(_ id: TimerID) {
        if let i = queue.live(id) { queue.pause(i, now: now.nanoseconds) }
    }

    /// Lets a paused timer go on with what it had left: a new setting.
    public func resume(_ id: TimerID) {
        if let i = queue.live(id) { queue.resume(i, now: now.nanoseconds) }
        alertIfEarlier(id)
    }

    /// Moves a countdown's end and raises its total: a new setting. Says no, and changes nothing, when
    /// the total would be past `Duration.longest`.
    public func extend(_ id: TimerID, by more: Duration) -> Bool {
        guard let i = queue.live(id), !queue.links[i].isPendulum else { return false }
        let total = Duration.nanoseconds(queue.slots[i].total) + more
        guard more >= .zero, total <= .longest else { return false }
        queue.extend(i, by: more.nanoseconds)
        return true
    }

    /// Begins a timer's whole time anew, also a paused one's, or one that has fired: a new setting.
    public func restart(_ id: TimerID) {
        if let i = queue.slot(of: id) { queue.restart(i, now: now.nanoseconds) }
        alertIfEarlier(id)
    }

    /// Counts settings from 0 again: every timer that is there is about to be set again, with an order of its own.
    public func restartOrder() { queue.sequence = 0 }

    /// Takes a live timer out of the order, and lets `work` put it back elsewhere, or nowhere.
    func change(_ id: TimerID, _ work: (inout TimerStorage, Int) -> Void) {
        guard let i = queue.live(id) else { return }
        queue.takeOut(i)
        work(&queue, i)
        alertIfEarlier(id)
    }

    // MARK: alerting a clock

    /// Follows a clock: asks `source` for the time, and calls `alert` for each timer that is set, where there is one.
    func follow(_ source: @escaping () -> Instant, alert: (() -> Void)?) {
        (self.source, self.alert) = (source, alert)
        if alert != nil { alertsBefore = .max }
    }

    /// Calls the clock only for timers that are set to fire before an instant; for all where that is nil.
    func alert(before instant: Instant?) { alertsBefore = instant?.nanoseconds ?? .max }

    /// The clock is going.
    func stopFollowing() { (source, alert, alertsBefore) = (nil, nil, .min) }

    private func alertIfEarlier(_ id: TimerID) {
        guard alertsBefore > .min, let i = queue.live(id), !queue.isPaused(i),
            queue.slots[i].deadline < alertsBefore
        else { return }
        alert?()
    }

    // MARK: firing; for clocks

    /// Moves the present forward without firing anything. An earlier instant changes nothing.
    public func move(to instant: Instant) { present = max(present, instant) }

    /// Makes an earlier instant the present. Timers stay where they are.
    func goBack(to instant: Instant) { present = min(present, instant) }

    /// The one timer that comes first.
    var first: ReplayClock.Next? {
        let due = queue.first
        guard due.slot != none else { return nil }
        let (slot, link) = (queue.slots[Int(due.slot)], queue.links[Int(due.slot)])
        return ReplayClock.Next(
            deadline: Instant(nanoseconds: due.deadline), tag: link.tag,
            period: link.isPendulum ? Duration.nanoseconds(slot.total) : nil,
            owner: unsafe slot.owner!)
    }

    /// Fires the one timer that comes first, if it is due by `limit`; nothing else is looked at before
    /// its work is done, so that work which ends a sibling of the same instant really ends it.
    /// `movingTime` makes its deadline the present: virtual time goes from deadline to deadline.
    /// `tell` hears of it, and of whose timer it was.
    @discardableResult public func fireNext(
        by limit: Instant, movingTime: Bool, _ tell: (Firing, TimerOwner) -> Void = { _, _ in }
    ) -> Firing? {
        guard let due = queue.pop(by: limit.nanoseconds, now: now.nanoseconds) else { return nil }
        let deadline = Instant(nanoseconds: due.deadline)
        if movingTime { move(to: deadline) }
        let owner = unsafe queue.slots[due.slot].owner!  // set with the timer
        let tag = queue.links[due.slot].tag
        owner.due(tag, missed: due.missed)  // outside every access to the queue
        let firing = Firing(tag: tag, deadline: deadline, missed: due.missed)
        tell(firing, owner)
        return firing
    }
}
