/// The queue of all timers on a timeline. Timers fire in the order of their deadlines. Timers with the same deadline fire in
/// the order in which they were set. This is true on real and on virtual clocks. A queue can hold a million live timers.
///
/// For up to 64 different durations, setting or ending a timer takes constant time: the timers of each of these durations are
/// in a list of their own (`DurationQueue`). The timers of other durations are in a heap. The queue is used in one context at
/// a time (`adoptContext`), as are the objects that use it.
public final class TimerQueue {
    // No access to these properties is held while foreign code runs, and the queue is used in one context at a time.
    // Accesses therefore cannot overlap, and a check at run time would take longer than setting a timer.
    @safe @exclusivity(unchecked) private var presentInstant: Instant
    /// Reads the present instant of the clock. Nil if the clock calls `move` before each piece of work.
    @safe @exclusivity(unchecked) private var instantSource: (() -> Instant)?
    @safe @exclusivity(unchecked) var storage = TimerStorage()
    /// The reference that handles contain; created with the first timer.
    @safe @exclusivity(unchecked) private var knownReference: QueueReference?
    /// The context in which handles may use this queue. The reference has the same context, but under a lock.
    @safe @exclusivity(unchecked) private var context = ExecutionContext.none

    /// Called when the queue is used in another context than before; see `follow`.
    private var contextChanged: (() -> Void)?

    /// The wall clock, which says when timers that fire at a time of day are due.
    @safe @exclusivity(unchecked) public var wallClock = CivilClock(.utc)

    /// The number of times that a handle was used to read or operate a timer. If the number does not change while a flow's
    /// selector runs, the result does not depend on the time.
    @safe @exclusivity(unchecked) package internal(set) var handleUses = 0

    /// Called when a timer gets a deadline before `alertsBefore`, so that the clock can wake up for the timer.
    @safe @exclusivity(unchecked) private var alert: (() -> Void)?
    /// An instant in nanoseconds; `.min` if the clock needs no alerts.
    @safe @exclusivity(unchecked) private var alertsBefore = Int64.min

    /// Whether `deadlineReport` is called when the first deadline becomes another, also a later one.
    @safe @exclusivity(unchecked) private var reportsDeadline = false
    private var deadlineReport: ((Instant?) -> Void)?
    private var reportedDeadline: Instant?

    /// Creates a queue whose present instant is `start`.
    public init(startingAt start: Instant = .zero) { presentInstant = start }

    deinit { knownReference?.clear(nextGeneration: storage.nextGeneration) }

    /// The present instant. It only moves forward, and only a `TimerClock` moves it.
    public var now: Instant {
        adoptContext()
        return present
    }

    /// The present instant, for a caller in the queue's context.
    var present: Instant {
        if let instantSource { presentInstant = max(presentInstant, instantSource()) }
        return presentInstant
    }

    /// The number of live timers, including the paused ones.
    public var count: Int {
        adoptContext()
        return storage.count
    }

    /// The deadline of the timer that fires next; nil if no timer is set or all timers are paused.
    public var next: Instant? {
        adoptContext()
        return firstDeadline
    }

    /// `next`, for a caller in the queue's context.
    var firstDeadline: Instant? {
        let key = storage.firstKey
        return key.slot == noSlot ? nil : Instant(nanoseconds: key.deadline)
    }

    /// Reserves memory for `n` timers in total.
    public func reserve(_ n: Int) {
        adoptContext()
        storage.reserve(n)
    }

    // MARK: setting and ending

    /// Sets a timer in `group` that fires once, after `remaining`. If `remaining` is nil, the timer fires after `total`. A negative
    /// time counts as zero, and a time of more than `Duration.longest` as that. When
    /// the timer fires, `owner` is called with `tag`, by which it recognizes the timer.
    ///
    /// This and the other methods that set timers, and `replace`, are called for every event, and so do not call `adoptContext`
    /// themselves. If the queue may have been given away since its last use, call it before.
    @inlinable public func setCountdown(
        _ total: Duration, remaining: Duration? = nil, tag: UInt8 = 0, in group: inout TimerGroup,
        for owner: TimerOwner
    ) -> Countdown {
        let total = total.nanoseconds
        return setCountdown(total, remaining?.nanoseconds ?? total, tag, &group, owner)
    }

    /// Sets a timer in `group` that fires each `period`. A shorter period than 1 ms counts as 1 ms.
    @inlinable public func setPendulum(
        _ period: Duration, tag: UInt8 = 0, in group: inout TimerGroup, for owner: TimerOwner
    ) -> Pendulum {
        setPendulum(period.nanoseconds, tag, &group, owner)
    }

    @usableFromInline func setCountdown(
        _ total: Int64, _ remaining: Int64, _ tag: UInt8, _ group: inout TimerGroup,
        _ owner: TimerOwner
    ) -> Countdown {
        Countdown(
            queueReference: reference,
            id: set(total, remaining: remaining, tag, [], &group, owner))
    }

    @usableFromInline func setPendulum(
        _ period: Int64, _ tag: UInt8, _ group: inout TimerGroup, _ owner: TimerOwner
    ) -> Pendulum {
        // A period of zero would always be due.
        let period = max(period, 1_000_000)
        return Pendulum(
            queueReference: reference,
            id: set(period, remaining: period, tag, [.pendulum], &group, owner))
    }

    /// As `setCountdown` above, with traits: the timer begins paused (`beginsPaused`), or runs on below zero (`overtime`). With
    /// overtime, `remaining` may be negative. The timer then begins in overtime and does not fire.
    public func setCountdown(
        _ total: Duration, remaining: Duration? = nil, _ traits: TimerTraits, tag: UInt8 = 0,
        in group: inout TimerGroup, for owner: TimerOwner
    ) -> Countdown {
        let least: Duration = traits.contains(.overtime) ? .zero - .longest : .zero
        let remaining = min(max(remaining ?? max(total, .zero), least), .longest)
        let timer = setCountdown(
            total.nanoseconds, max(remaining, .zero).nanoseconds, tag, &group, owner)
        begin(timer.id, traits, remaining: remaining)
        return timer
    }

    /// As `setPendulum` above, with traits: the timer may begin paused (`beginsPaused`).
    public func setPendulum(
        _ period: Duration, _ traits: TimerTraits, tag: UInt8 = 0, in group: inout TimerGroup,
        for owner: TimerOwner
    ) -> Pendulum {
        let period = max(period, .milliseconds(1))
        let timer = setPendulum(period.nanoseconds, tag, &group, owner)
        begin(timer.id, traits.intersection(.beginsPaused), remaining: period)
        return timer
    }

    /// Sets a stopwatch in `group`, which counts the time for which it runs, and never fires. It begins with `spent`, at most
    /// `Duration.longest`, and paused if `traits` has `beginsPaused`. `owner` recognizes it by `tag`.
    public func setStopwatch(
        spent: Duration = .zero, _ traits: TimerTraits = [], tag: UInt8 = 0,
        in group: inout TimerGroup, for owner: TimerOwner
    ) -> Stopwatch {
        let timer = setCountdown(0, 0, tag, &group, owner)
        begin(
            timer.id, traits.intersection(.beginsPaused).union(.stopwatch),
            remaining: .zero - min(max(spent, .zero), .longest))
        return Stopwatch(queueReference: reference, id: timer.id)
    }

    /// Sets a mark in `group`: a timer that fires each time that what `countdown` has left goes from above `left` to `left` or
    /// less, by time or by an operation. It fires before the countdown, and stands still with it. `countdown` is a countdown of the
    /// same group with the tag `countdownTag`; nil if it is not set, and the mark then never fires. `left` may be negative for a
    /// countdown with overtime.
    public func setMark(
        left: Duration, of countdown: Countdown?, countdownTag: UInt8, tag: UInt8 = 0,
        in group: inout TimerGroup, for owner: TimerOwner
    ) {
        // Made before the first timer, as for the timers with handles: it says with which generation the timers begin.
        _ = reference
        let id = set(0, remaining: 0, tag, .mark, &group, owner)
        guard let i = storage.liveSlot(of: id) else { return }
        let left = min(max(left, .zero - .longest), .longest)
        storage.makeMark(
            i, left: left.nanoseconds, of: countdown.flatMap { storage.liveSlot(of: $0.id) },
            tag: countdownTag, now: present.nanoseconds)
        if alertsBefore > .min { alert?() }
    }

    /// Says whether a mark of a machine that is being restored could still fire when the machine was recorded; `due` says since when
    /// it was due, if it was. Must be called before the mark's countdown is restored.
    package func restoreMark(_ id: TimerID, couldFire: Bool, due: Instant? = nil) {
        guard let i = storage.liveSlot(of: id) else { return }
        storage.restoreMark(i, couldFire: couldFire, due: due?.nanoseconds)
    }

    /// Gives a new timer its traits.
    func begin(_ id: TimerID, _ traits: TimerTraits, remaining: Duration) {
        guard !traits.isEmpty, let i = storage.liveSlot(of: id) else { return }
        storage.begin(i, traits, remaining: remaining.nanoseconds, now: present.nanoseconds)
    }

    @inline(__always) var reference: QueueReference { knownReference ?? makeReference() }

    @inline(never) private func makeReference() -> QueueReference {
        context = .current
        let reference = QueueReference(to: self, in: context)
        storage.begin(atGeneration: reference.firstGeneration)
        knownReference = reference
        return reference
    }

    /// Makes the caller's actor, task or thread the one in which handles of this queue's timers work; in every other one, they
    /// behave as handles of ended timers.
    ///
    /// Machines, clocks and this queue call it whenever they are used, so that a machine can be given away (`sending`) together with
    /// its clock. Only the owner of the queue may call it.
    public func adoptContext() {
        // The loop of a daemon runs on one thread and in no task, so its events end here. Without a reference there are no handles,
        // and `context` is `none`.
        if !context.isOutsideTasks, context != .none { move() }
    }

    /// As `adoptContext`, for each event, without the question whether a task runs. So a queue that was used outside of tasks on this
    /// thread remains that of the thread. That is safe: one thing at a time runs on a thread. Its handles work on this thread.
    @usableFromInline package func adoptThread() {
        if !context.isThisThread, context != .none { move() }
    }

    /// Makes the present context the one in which handles work. Not a part of `adoptContext`, which each event calls.
    @inline(never) private func move() {
        let present = ExecutionContext.current
        guard present != context else { return }
        knownReference?.move(to: present)
        context = present
        contextChanged?()
    }

    // MARK: following the user

    /// Calls `contextChanged` when the queue is used in another context than before, and at the first use. What only makes a
    /// machine or a timer is no use: the initial values of an actor's properties are made elsewhere than on the actor.
    func follow(_ contextChanged: @escaping () -> Void) {
        _ = reference
        context = .unclaimed
        self.contextChanged = contextChanged
    }

    /// The queue, and the context in which it is used.
    var place: QueuePlace { QueuePlace(reference: reference, context: context) }

    /// Calls `work`, which makes a machine or a timer. A queue that nothing has used yet remains so.
    package func whileMaking<Result, Failure: Error>(_ work: () throws(Failure) -> Result)
        throws(Failure) -> Result
    {
        guard context == .unclaimed else {
            adoptContext()
            return try work()
        }
        knownReference?.move(to: .current)
        // In no context, `adoptContext` does nothing.
        context = .none
        defer { context = .unclaimed }
        return try work()
    }

    private func set(
        _ total: Int64, remaining: Int64, _ tag: UInt8, _ traits: TimerTraits,
        _ group: inout TimerGroup, _ owner: TimerOwner
    ) -> TimerID {
        storage.set(
            owner,
            deadline: saturatingSum(
                present.nanoseconds, min(max(remaining, 0), Duration.longestNanoseconds)),
            total: min(max(total, 0), Duration.longestNanoseconds), tag: tag, traits: traits,
            in: &group)
        if alertsBefore > .min { alertIfEarlier(group.last) }
        return group.last
    }

    /// Ends a group's timers. Ending a group twice, or an empty group, does nothing.
    public func end(_ group: TimerGroup) {
        adoptContext()
        storage.end(group)
        if reportsDeadline { reportDeadline() }
    }

    /// Ends the timers of `group` and moves the timers of `new` into it; `new` is empty afterwards. Returns the
    /// present instant.
    @discardableResult public func replace(
        _ group: inout TimerGroup, with new: inout TimerGroup
    ) -> Instant {
        storage.end(group)
        group = new
        new = TimerGroup()
        if reportsDeadline { reportDeadline() }
        return present
    }

    // MARK: queries

    /// The timers of a group that have yet to fire, in the order in which they were set.
    public func timers(of group: TimerGroup) -> [TimerID] {
        adoptContext()
        var ids: [TimerID] = []
        var id = group.first
        while let i = storage.slot(of: id) {
            if storage.liveSlot(of: id) != nil { ids.append(id) }
            id = storage.sibling(of: i)
        }
        return ids
    }

    /// The properties of a timer; nil after it has fired for the last time or has ended.
    public func info(_ id: TimerID) -> TimerInfo? {
        adoptContext()
        return storage.liveSlot(of: id).map(info(at:))
    }

    private func info(at i: Int) -> TimerInfo { reading(at: i).info(at: present) }

    /// When a timer fires at a time of day; nil for any other timer, and after the timer has fired. This is no part of
    /// `TimerInfo`, so that the properties of other timers have no reference to count.
    package func until(_ id: TimerID) -> UntilTime? {
        adoptContext()
        guard let i = storage.liveSlot(of: id) else { return nil }
        return storage.until(i)
    }

    /// All live timers in the order in which they will fire, the paused ones last. For tests and diagnosis
    /// only: it visits every timer.
    public var pending: [TimerInfo] {
        adoptContext()
        return storage.entries.indices.filter { storage.nodes[$0].membership != .unplaced }
            .map { (order: storage.entries[$0].sequence, info: info(at: $0)) }
            .sorted {
                let (a, b) = ($0.info.deadline?.nanoseconds, $1.info.deadline?.nanoseconds)
                return (a ?? .max, $0.order) < (b ?? .max, $1.order)
            }
            .map(\.info)
    }

    // MARK: operating

    /// Pauses a timer; it keeps its remaining time. Pausing it again changes nothing. The timer gets the trait
    /// `pausedByProgram`.
    @discardableResult public func pause(_ id: TimerID) -> Bool { pause(id, .pausedByProgram) }

    /// Pauses a timer as above. Of the traits `pausing`, the timer gets those that say who pauses it; without any, it is an
    /// operator who names the timer. Returns false if the timer has ended.
    @discardableResult public func pause(_ id: TimerID, _ pausing: TimerTraits) -> Bool {
        adoptContext()
        guard let i = storage.liveSlot(of: id) else { return false }
        storage.pause(i, pausing.intersection(.pausing), now: present.nanoseconds)
        moveMarks(of: i)
        if reportsDeadline { reportDeadline() }
        return true
    }

    /// Resumes a paused timer with its remaining time; one that fires at a time of day, with its deadline. The timer gets a new
    /// place in the order of setting. Returns false if the timer has ended.
    @discardableResult public func resume(_ id: TimerID) -> Bool {
        adoptContext()
        guard let i = storage.liveSlot(of: id) else { return false }
        if storage.nodes[i].traits.contains(.until) {
            resumeUntil(id)
            return true
        }
        storage.resume(i, now: present.nanoseconds)
        moveMarks(of: i)
        alertIfEarlier(id)
        return true
    }

    /// Adds `more` to the remaining time and to the total of a countdown. A running timer gets a new place in the order of
    /// setting. Returns false, and changes nothing, in these cases: the total or the remaining time would exceed `Duration.longest`,
    /// `more` is negative, the timer has ended, or the timer is no countdown.
    public func extend(_ id: TimerID, by more: Duration) -> Bool {
        adoptContext()
        guard let i = storage.liveSlot(of: id), !storage.nodes[i].isPendulum else { return false }
        let info = info(at: i)
        // Not the sums, which might be too long even for a `Duration`.
        guard more >= .zero, more <= .longest - max(info.total, info.remaining),
            storage.nodes[i].traits.isDisjoint(with: [.stopwatch, .until])
        else { return false }
        storage.extend(i, by: more.nanoseconds, now: present.nanoseconds)
        moveMarks(of: i)
        if reportsDeadline { reportDeadline() }
        return true
    }

    /// Subtracts `less` from the remaining time of a countdown, and leaves at least a millisecond; for a countdown with overtime, at
    /// least the negative of `Duration.longest`. A running timer gets a new place in the order of setting. A negative time counts as
    /// zero.
    package func shorten(_ id: TimerID, by less: Duration) {
        guard let info = info(id), info.kind == .countdown else { return }
        setRemaining(id, to: info.remaining(shortenedBy: less))
    }

    /// Sets the time that a stopwatch has spent, at least zero and at most `Duration.longest`.
    package func setSpent(_ id: TimerID, to spent: Duration) {
        setRemaining(id, to: .zero - max(spent, .zero))
    }

    /// Sets the remaining time of a countdown; for a stopwatch, the negative of the time that it has spent. If the total is
    /// shorter, it becomes equal to the remaining time. A running timer gets a new place in the order of setting.
    package func setRemaining(_ id: TimerID, to remaining: Duration) {
        adoptContext()
        guard let i = storage.liveSlot(of: id),
            storage.nodes[i].traits.isDisjoint(with: [.pendulum, .until])
        else { return }
        let traits = storage.nodes[i].traits
        let least = traits.mayBeNegative ? -Duration.longestNanoseconds : 0
        let most = traits.contains(.stopwatch) ? 0 : Duration.longestNanoseconds
        let remaining = min(max(remaining.nanoseconds, least), most)
        storage.setRemaining(i, to: remaining, now: present.nanoseconds)
        moveMarks(of: i, isJump: true)
        alertIfEarlier(id)
    }

    /// Starts a timer again with its full duration, even if it is paused or has fired; one that fires at a time of day, until
    /// that time occurs next. The timer gets a new place in the order of setting. Returns false if the timer's state was left.
    @discardableResult public func restart(_ id: TimerID) -> Bool {
        adoptContext()
        guard let i = storage.slot(of: id) else { return false }
        storage.restart(i, now: present.nanoseconds)
        if let until = storage.until(i) {
            setUntil(id, to: wallClock.next(until.time, after: present))
        }
        moveMarks(of: i)
        alertIfEarlier(id)
        return true
    }

    /// Sets the counter that numbers the timers in the order of setting to 0. The present timers keep their numbers, so the
    /// caller must then call `restore` (TimerQueue+Restore.swift) for every live timer, which gives the timer its recorded
    /// number.
    public func restartOrder() {
        adoptContext()
        storage.sequence = 0
    }

    /// Timers that are set from now on get numbers after `order` in the order of setting.
    package func reserveOrder(upTo order: UInt64) {
        adoptContext()
        storage.sequence = max(storage.sequence, order)
    }

    /// Removes a live timer from its `DurationQueue` or from the heap, and calls `work` with the storage and the timer's slot.
    /// `work` must place the timer again, pause it, or subtract it from `count`.
    func withTimerRemoved(_ id: TimerID, _ work: (inout TimerStorage, Int) -> Void) {
        adoptContext()
        guard let i = storage.liveSlot(of: id) else { return }
        storage.removeFromOrder(i)
        work(&storage, i)
        moveMarks(of: i)
        alertIfEarlier(id)
        if reportsDeadline { reportDeadline() }
    }

    /// Moves the marks of a timer that was operated, if it has some.
    private func moveMarks(of i: Int, isJump: Bool = false) {
        guard storage.nodes[i].traits.contains(.marked) else { return }
        storage.moveMarks(of: i, now: present.nanoseconds, isJump: isJump)
        if alertsBefore > .min { alert?() }
    }

    // MARK: alerting a clock

    /// Attaches the queue to a clock. `instantSource` returns the present instant. `alert` is called for each timer that is
    /// set; nil if the clock needs no alerts. `alert(before:)` limits these alerts.
    func attach(_ instantSource: @escaping () -> Instant, alert: (() -> Void)?) {
        (self.instantSource, self.alert) = (instantSource, alert)
        if alert != nil { alertsBefore = .max }
    }

    /// Attaches the queue to a clock of the program. `report` is called each time that the first deadline becomes another.
    func attach(_ instantSource: @escaping () -> Instant, report: @escaping (Instant?) -> Void) {
        reportsDeadline = true
        attach(instantSource, alert: { [unowned self] in reportDeadline() })
        deadlineReport = report
    }

    /// Reports the first deadline if it is another than before.
    private func reportDeadline() {
        let next = firstDeadline
        guard next != reportedDeadline else { return }
        reportedDeadline = next
        deadlineReport?(next)
    }

    /// Limits the alerts to timers with a deadline before `instant`; nil means all timers.
    func alert(before instant: Instant?) { alertsBefore = instant?.nanoseconds ?? .max }

    /// Ends the alerts until `alert(before:)` is called.
    func endAlerts() { alertsBefore = .min }

    /// Detaches the queue from a clock that is being released.
    func detach() {
        contextChanged = nil
        adoptContext()
        (instantSource, alert, alertsBefore) = (nil, nil, .min)
    }

    func alertIfEarlier(_ id: TimerID) {
        guard alertsBefore > .min, let i = storage.liveSlot(of: id), !storage.isPaused(i),
            !storage.nodes[i].traits.isSilent, storage.entries[i].deadline < alertsBefore
        else { return }
        alert?()
    }

    // MARK: firing; for clocks

    /// Moves the present instant forward without firing timers. An earlier instant changes nothing.
    public func move(to instant: Instant) {
        adoptContext()
        movePresent(to: instant)
    }

    /// `move`, for a caller in the queue's context.
    func movePresent(to instant: Instant) { presentInstant = max(presentInstant, instant) }

    /// Moves the present instant back. Timers keep their deadlines.
    func goBack(to instant: Instant) {
        adoptContext()
        presentInstant = min(presentInstant, instant)
    }

    /// The next timer to fire; nil if no timer runs.
    var nextTimer: ReplayClock.NextTimer? {
        adoptContext()
        let key = storage.firstKey
        guard key.slot != noSlot else { return nil }
        let slot = storage.slotToFire(key)
        let (entry, node) = (storage.entries[slot], storage.nodes[slot])
        return ReplayClock.NextTimer(
            deadline: Instant(nanoseconds: entry.deadline), tag: node.tag,
            period: node.isPendulum ? Duration.nanoseconds(entry.total) : nil,
            owner: unsafe entry.owner!)
    }

    /// Fires the next timer if it is due by `limit` and its owner lets it fire: calls the `due` method of the owner. The queue does
    /// not select another timer before this method has returned. So the owner can end another timer of the same instant before
    /// that timer fires.
    ///
    /// If `movingTime` is true, the timer's deadline becomes the present instant, as virtual time needs.
    @discardableResult public func fireNext(by limit: Instant, movingTime: Bool) -> Firing? {
        adoptContext()
        return fireFirst(by: limit, movingTime: movingTime)
    }

    /// Fires all timers that are due by `limit`, as long as `mayFire` returns true: first those that were set before this call, then
    /// those that these firings have set and that are due at once, and so on.
    ///
    /// A timer that is set by the last of `roundLimit` such rounds fires in the next call. So a state whose timer has zero duration
    /// and leads to the same state again cannot block the thread.
    public func fireDue(by limit: Instant, while mayFire: () -> Bool = { true }) {
        adoptContext()
        for _ in 0..<Self.roundLimit {
            let newestOrder = newestOrder
            var hasFired = false
            while mayFire(),
                fireFirst(by: limit, orderAtMost: newestOrder, movingTime: false) != nil
            {
                hasFired = true
            }
            if !hasFired { return }
        }
    }

    /// How many states with a timer of zero duration can follow each other in a call of `fireDue`.
    public static let roundLimit = 100

    /// The order of the timer that was set last.
    var newestOrder: UInt64 { storage.sequence }

    /// Whether a running timer is due at the present instant.
    public var isTimerDue: Bool { next.map { $0 <= present } ?? false }

    /// Whether the owner of the next timer lets it fire, if it is due. Otherwise it has to wait, and so do all later ones.
    private func nextMayFire(by limit: Int64, _ newestOrder: UInt64) -> Bool {
        let key = storage.firstKey
        guard key.slot != noSlot, key.deadline <= limit, key.sequence <= newestOrder else {
            return false
        }
        return unsafe storage.entries[storage.slotToFire(key)].owner!.mayFire()
    }

    /// `fireNext`, for a caller in the queue's context. A timer that was set later than `newestOrder` does not fire.
    func fireFirst(
        by limit: Instant, orderAtMost newestOrder: UInt64 = .max, movingTime: Bool
    ) -> Firing? {
        guard nextMayFire(by: limit.nanoseconds, newestOrder),
            let (slot, key, missed) = storage.pop(
                by: limit.nanoseconds, now: present.nanoseconds, orderAtMost: newestOrder)
        else { return nil }
        let deadline = Instant(nanoseconds: key.deadline)
        if movingTime { movePresent(to: deadline) }
        let owner = unsafe storage.entries[slot].owner!  // set with the timer
        let firing = Firing(
            tag: storage.nodes[slot].tag, deadline: deadline, missed: missed, order: key.sequence,
            total: .nanoseconds(storage.entries[slot].total))
        if reportsDeadline { reportDeadline() }
        owner.due(firing)  // outside every access to the queue
        return firing
    }
}
