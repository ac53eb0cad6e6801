public import GameFlow
internal import Support
internal import Timers

/// One action on a session: to send an event, or to wait.
public enum Move: Equatable, Sendable {
    case send(_ event: String, _ arguments: [Member])
    /// Wait until a timer of the present state sends that signal.
    case wait(_ signal: String)
    /// Wait for a time during which the state does not change.
    case linger(_ time: Duration)
    /// A move whose first draws of random values have these outcomes, of those that a search tries. Draws beyond them have the
    /// first outcome.
    indirect case drawing(_ outcomes: [Int], Move)

    /// For `send`, the name of the event. For `wait`, the name of the signal that ends the wait. Nil for `linger`.
    public var event: String? {
        switch self {
        case .send(let event, _): event
        case .wait(let signal): signal
        case .linger: nil
        case .drawing(_, let move): move.event
        }
    }

    /// The moves that send an event: each event of the flow, with the arguments that the searches try.
    static func sends(of flow: AnyFlow) -> [Move] {
        zip(flow.events, flow.searchModel.trials).flatMap { event, trials in
            trials.samples.map { .send(event.name, $0) }
        }
    }

    /// Whether the move sends an event.
    var isSend: Bool { if case .send = drawnMove { true } else { false } }

    /// The move without the outcomes of its draws.
    public var drawnMove: Move { if case .drawing(_, let move) = self { move } else { self } }

    /// The outcomes of the move's first draws.
    var outcomes: [Int] { if case .drawing(let outcomes, _) = self { outcomes } else { [] } }
}

/// A move that was made, its duration and its result.
public struct CompletedMove {
    public let move: Move
    /// For how long the move waited in virtual time; zero for an event.
    public let duration: Duration
    /// All steps that the move caused, including the steps of deferred and posted events. Of consecutive beats of one pendulum,
    /// only the first is here.
    public let steps: [Step]
    /// The state and data after the move.
    public let place: StateRecord
}

/// One session on its own virtual clock, on which moves are tried. The explorations, the searches for races and the runs of
/// scenarios use it. It observes its machine, which calls `completed`, `refused` and `due`.
final class Trial: MachineObserver {
    let flow: AnyFlow
    /// The session's own clock.
    let clock = VirtualClock()
    /// Nil only during the initializer, and after it if the initializer throws. `undo` replaces the machine.
    private(set) var machine: AnyMachine!
    /// The steps since the most recent call of `clearSteps`; of consecutive beats of one pendulum, only the first.
    private(set) var steps: [Step] = []
    /// Why posted events and signals were refused since the most recent call of `clearSteps`.
    private(set) var refusals: [Reason] = []
    /// The first invariant that did not hold after a step, and the state and data after that step. Nil in a dry run, because
    /// explorations check invariants only at the end of a move.
    private(set) var brokenInvariant: (sentence: String, place: StateRecord)?
    /// How many times a state was entered. A wait ends when this number changes.
    private(set) var entryCount = 0
    /// Whether the session has not yet made the move `linger` since the state was entered.
    private var mayLinger = true
    /// The time that the timers had left after the most recent entry or `linger`; a part of `situation`.
    private var remaining: [RemainingTime] = []

    /// If true, the flow's hooks are not called; therefore beats may be skipped. `undo` works only if this is false.
    private let isDryRun: Bool
    /// The queue for posted events.
    private let queue = EventQueue()
    /// The most recent requests and firings that changed the session, oldest first. Empty in a dry run.
    private var undoSteps: [UndoStep] = []

    /// A request or firing: the session and its message as they were before it, and the number of its first change.
    private struct UndoStep {
        let before: MachineState
        let message: ScreenMessage?
        let firstSeq: Int
    }
    /// The message on the session's screens, even if its time is over. Nil without a message, and in a dry run.
    private(set) var message: ScreenMessage?
    /// The maximum number of requests and firings that can be undone, as in the daemon.
    static let undoLimit = 100
    private var idlePendulums = IdlePendulums()
    /// The number of steps that the machine reported.
    private var stepCount = 0
    /// The number of changes: of reported steps that were not beats, of operations on timers, of undone steps and of messages.
    private var changeCount = 0
    /// The number of the change by which an operator removed the message; nil if the newest words of an operator are a message.
    private var messageRemoval: Int?

    /// The number of events that were handled, whether they were taken or refused, and of timers that fired. Beats that were
    /// skipped are not counted.
    private(set) var moveCount = 0
    /// Whether a pendulum changed the state's data while a countdown was running. Then it depends on the time how often it does.
    private(set) var changesWithTime = false
    /// Whether a selector has read or operated a timer.
    var hasUsedTimers: Bool { clock.timerQueue.handleUses > 0 }
    /// Whether a wait was given up: `firingLimit` timers fired, or only beats that change nothing would follow.
    private(set) var reachedFiringLimit = false

    /// The greatest number of timers that may fire in one wait.
    static let firingLimit = 100_000

    /// Opens a session in `state`, or in the flow's initial state if `state` is nil; throws if the flow refuses this. In a dry
    /// run the flow's hooks are not called, and without a seed the draws have the outcomes that the moves give. The clock begins
    /// at 1970-01-01 00:00 of `zone`; without a zone, each state is entered at 00:00, as in a search.
    init(
        opening flow: AnyFlow, _ state: String? = nil, _ data: [Member] = [],
        isDryRun: Bool = true, seed: UInt64? = nil, zone: ClockZone? = nil
    ) throws(Reason) {
        (self.flow, self.isDryRun) = (flow, isDryRun)
        clock.timerQueue.wallClock = zone.map { .virtual($0) } ?? .search
        machine = flow.machine(
            on: clock.timerQueue, queue, observer: self, isDryRun: isDryRun)
        if let seed { machine.setSeed(seed) }
        try machine.open(state, data, from: .trial)
        checkInvariants()
        rememberRemaining()
    }

    /// Opens a session in a state with data that the flow is known to accept.
    convenience init(_ flow: AnyFlow, openedIn state: String? = nil, _ data: [Member] = []) {
        do throws(Reason) { try self.init(opening: flow, state, data) } catch {
            // Callers check the flow's `mistakes` first.
            fatalError("\(flow.name) cannot begin in \(state ?? flow.initial): \(error)")
        }
    }

    /// Opens a session and makes `moves` on it.
    convenience init(_ flow: AnyFlow, after moves: [Move]) {
        self.init(flow)
        for move in moves { _ = make(move) }
    }

    // MARK: MachineObserver

    func completed(_ step: consuming Step) {
        stepCount += 1
        moveCount += 1
        if !step.isBeat {
            idlePendulums.clear()
            changeCount += 1
        }
        if step.kind.isEntry {
            entryCount += 1
            mayLinger = true
        }
        if !step.isBeat {
            if !isDryRun {
                message = ScreenMessage.after(
                    step, message, initial: flow.initial, seq: changeCount, at: clock.now)
            }
            checkInvariants()
        }
        // A wait of days can have a hundred thousand equal beats; the first is enough.
        if step.isBeat, let last = steps.last, last.isBeat, last.event === step.event { return }
        steps.append(step)
    }

    func refused(_ event: EventRecord, _ source: Source, _ refusal: Reason) {
        moveCount += 1
        refusals.append(refusal)
    }

    /// Sets `brokenInvariant`.
    private func checkInvariants() {
        guard !isDryRun, brokenInvariant == nil, let machine,
            let sentence = machine.brokenInvariants.first
        else { return }
        brokenInvariant = (sentence, machine.place)
    }

    func due(_ firing: Firing, of machine: AnyMachine) {
        undoable(firing: firing) {
            do throws(Reason) { try machine.take(firing) } catch {
                refused(machine.flow.signalEvent(firing.tag), .timer, error)
            }
        }
    }

    // MARK: undo

    /// Runs `work`, which handles one request or one firing. If `work` changes the session, one later `undo` takes back all
    /// changes of `work`. `firing` is nil for a request.
    func undoable<Result>(firing: Firing? = nil, _ work: () -> Result) -> Result {
        guard !isDryRun else { return work() }
        let changesBefore = changeCount
        let step = UndoStep(
            before: MachineState(machine, firing: firing, at: clock.now), message: message,
            firstSeq: changesBefore + 1)
        let result = work()
        if changeCount > changesBefore {
            undoSteps.append(step)
            if undoSteps.count > Self.undoLimit { undoSteps.removeFirst() }
        }
        return result
    }

    /// Takes back the newest request or firing that changed the session, as the daemon's `undo` does. Returns false if none is
    /// left to take back. Throws if the flow refuses to restore the earlier state.
    func undo(_ clocks: UndoClocks = .still) throws(Reason) -> Bool {
        guard let step = undoSteps.last else { return false }
        let restoredMachine = try flow.machine(
            continuing: step.before.snapshot(at: clock.now, clocks),
            on: clock.timerQueue, queue, observer: self,
            snapshotAt: clocks == .run ? step.before.at : nil, isDryRun: isDryRun)
        machine.end()
        machine = restoredMachine
        undoSteps.removeLast()
        message = ScreenMessage.afterUndo(
            of: step.firstSeq, step.message, message,
            isRemoved: messageRemoval.map { $0 >= step.firstSeq } ?? false,
            entering: machine.place.state, initial: flow.initial)
        entryCount += 1
        changeCount += 1
        return true
    }

    /// Shows a message as an operator's request does; an empty text removes the present message.
    func say(_ text: String, for length: Duration?) {
        changeCount += 1
        messageRemoval = text.isEmpty ? changeCount : nil
        message =
            text.isEmpty
            ? nil
            : ScreenMessage(
                text: text, seq: changeCount, until: length.map { clock.now + $0 })
    }

    /// Operates timers as an operator's request does. An operation without effect, such as a second pause, is no change.
    func operate(_ operation: TimerOperation) throws(TimerOperation.OperationError) {
        // The machine reports no step.
        if try machine.operate(operation) { changeCount += 1 }
    }

    // MARK: moves

    /// Fires the timers that are due, such as timers of zero duration, as the end of each line of a scenario does.
    func fireDueTimers() {
        let entriesBefore = entryCount
        wait(.zero)
        if entryCount != entriesBefore { rememberRemaining() }
    }

    /// Clears `steps` and `refusals` before a move.
    func clearSteps() {
        (steps, refusals) = ([], [])
        flow.drawScript?.begin([])
    }

    /// Makes a move. Returns nil if the session refuses the event or signal, or if the state is left before the wait
    /// is over.
    func make(_ move: Move) -> CompletedMove? {
        clearSteps()
        flow.drawScript?.begin(move.outcomes)
        let (start, entriesBefore) = (clock.now, entryCount)
        defer { if entryCount != entriesBefore { rememberRemaining() } }
        switch move.drawnMove {
        case .drawing: return nil  // a move has one list of outcomes
        case .send(let event, let arguments):
            guard send(event, arguments) == nil else { return nil }
        case .wait(let signal):
            guard wait(for: signal), refusals.isEmpty else { return nil }
        case .linger(let duration):
            wait(duration)
            guard entryCount == entriesBefore, clock.now - start == duration else { return nil }
            mayLinger = false
            rememberRemaining()
        }
        return CompletedMove(
            move: move, duration: clock.now - start, steps: steps, place: machine.place)
    }

    /// Sends an event. Returns the reason if the event is refused, and nil if it is taken or deferred.
    func send(_ event: String, _ arguments: [Member]) -> Reason? {
        do throws(Reason) {
            try machine.send(flow.event(event), arguments, from: .trial)
            return nil
        } catch {
            moveCount += 1
            return error
        }
    }

    /// Advances the clock until the state's timer that sends `signal` fires. Returns false if the state has no such timer, or
    /// if the state is left before the timer fires.
    private func wait(for signal: String) -> Bool {
        machine.timer(signal) != nil && advanceUntilFired([signal]).contains(signal)
    }

    /// Advances the clock by `duration` and fires the timers that are due. If more than `firingLimit` timers are due, it stops
    /// earlier and sets `reachedFiringLimit`.
    func wait(_ duration: Duration) {
        let end = min(clock.now + max(duration, .zero), .last)
        for _ in 0..<Self.firingLimit {
            skipBeats(before: end)
            guard fireNext(by: end) != nil else { break }
        }
        if let next = clock.timerQueue.next, next <= end {
            reachedFiringLimit = true
        } else {
            clock.advance(by: end - clock.now)
        }
    }

    /// Advances the clock to the next deadline, if it is not after `limit`, and fires that timer. Returns the timer's signal;
    /// nil if no timer is due by `limit`.
    func fireNext(by limit: Instant = .last) -> String? {
        let (handleUsesBefore, stepsBefore, refusalsBefore) = (
            clock.timerQueue.handleUses, stepCount, refusals.count
        )
        let (changesBefore, entriesBefore) = (changeCount, entryCount)
        guard let firing = clock.timerQueue.fireNext(by: limit, movingTime: true) else {
            return nil
        }
        if changeCount > changesBefore, entryCount == entriesBefore, hasCountdown,
            clock.pending.contains(where: { $0.tag == firing.tag && $0.isPendulum })
        {
            changesWithTime = true
        }
        // The pendulum is idle if the firing caused only a beat and the selector read no timer. `handleUses` counts how often a
        // timer was read or operated.
        if handleUsesBefore == clock.timerQueue.handleUses, stepCount == stepsBefore + 1,
            refusals.count == refusalsBefore, steps.last?.isBeat == true
        {
            idlePendulums.insert(firing.tag)
        }
        return flow.signalName(firing.tag)
    }

    /// Skips beats that change nothing; see `IdlePendulums`. Returns false if nothing will ever happen. Only a dry run skips
    /// beats: elsewhere a beat may call the flow's hooks.
    @discardableResult func skipBeats(before limit: Instant = .last, awaited: [String] = []) -> Bool
    {
        isDryRun
            ? idlePendulums.skip(machine, on: clock.timerQueue, before: limit, awaited: awaited)
            : true
    }

    /// Whether exactly one pendulum is set, and its beats change nothing.
    var hasOneIdlePendulum: Bool {
        let pendulums = clock.pending.filter(\.isPendulum)
        return pendulums.count == 1 && idlePendulums.tags.contains(pendulums[0].tag)
    }

    /// Advances the clock until the state is left or each of `signals` was sent. Returns all signals that were sent meanwhile.
    func advanceUntilFired(_ signals: [String]) -> Set<String> {
        var fired: Set<String> = []
        let entriesBefore = entryCount
        for _ in 0..<Self.firingLimit {
            guard entryCount == entriesBefore, !fired.isSuperset(of: signals) else { return fired }
            // False means that only beats that change nothing would follow, without end.
            guard skipBeats(awaited: signals) else { break }
            guard let next = fireNext() else { return fired }
            fired.insert(next)
        }
        reachedFiringLimit = true
        return fired
    }

    /// Advances the clock until the timer that sends `signal` fires. Returns whether the state then refuses the signal.
    func refusesSignal(_ signal: String) -> Bool {
        let entriesBefore = entryCount
        for _ in 0..<Self.firingLimit {
            guard entryCount == entriesBefore, skipBeats(awaited: [signal]) else { return false }
            let refusalsBefore = refusals.count
            guard let fired = fireNext() else { return false }
            if fired == signal { return refusals.count > refusalsBefore }
        }
        reachedFiringLimit = true
        return false
    }

    /// The values that determine what can happen next in a session: the state with the data that decide something, the deferred
    /// events, the timers that are set, and the time that each timer had left. This time was recorded when the state was entered
    /// or, if a `linger` followed, after the `linger`.
    var situation: SituationKey {
        SituationKey(
            place: flow.situationPlace(machine.place),
            deferred: machine.deferredEvents.map { StateRecord($0.event.name, $0.event.arguments) },
            timers: machine.liveTimers.map(\.situationText),
            remaining: remaining,
            moments: machine.moments.map { moment in
                SituationMoment(
                    place: flow.situationPlace(moment.place),
                    remaining: moment.timers.map { RemainingTime($0, at: moment.at) })
            })
    }

    struct SituationKey: Hashable {
        let place: StateRecord
        /// The deferred events, oldest first: the name and the arguments of each.
        let deferred: [StateRecord]
        /// The signals of the timers that are set; one that is paused, or will not fire, is marked.
        let timers: [String]
        /// The time that each timer had left.
        let remaining: [RemainingTime]
        /// The moments to which the session can go back.
        let moments: [SituationMoment]
    }

    /// A moment to which a session can go back, as a part of a situation.
    struct SituationMoment: Hashable {
        let place: StateRecord
        let remaining: [RemainingTime]
    }

    /// The time that a timer had left.
    struct RemainingTime: Hashable {
        /// The signal that the timer sends.
        let fires: String
        let milliseconds: Int64

        init(fires: String, milliseconds: Int64) {
            (self.fires, self.milliseconds) = (fires, milliseconds)
        }

        /// What a recorded timer had left at an instant.
        init(_ timer: TimerRecord, at instant: Instant) {
            switch timer.state {
            case .running(let until):
                self.init(fires: timer.fires, milliseconds: (until - instant).milliseconds)
            case .paused(let remaining):
                self.init(fires: timer.fires + " paused", milliseconds: remaining.milliseconds)
            }
        }
    }

    private func rememberRemaining() {
        // What a stopwatch has spent matters only where something reads it.
        let countsStopwatches = flow.searchModel.dependsOnTime != false
        remaining = machine.liveTimers.filter { countsStopwatches || $0.info.canFire }.map {
            RemainingTime(fires: $0.fires, milliseconds: $0.info.remaining.milliseconds)
        }
    }

    /// The moves that wait, as far as they can be tried now. There is one `wait` for each timer. Once in each visit of a state,
    /// there is also a `linger`: it waits for half of the time of the countdown that ends first. `linger` finds transitions
    /// that depend on the time left.
    var waits: [Move] {
        let timers = machine.liveTimers
        let waits = timers.filter(\.info.mayStillFire).map {
            Move.wait($0.fires)
        }
        let firstCountdown = timers.map(\.info).filter(\.isPendingCountdown).min {
            $0.remaining < $1.remaining
        }
        guard let firstCountdown, mayLinger, firstCountdown.remaining == firstCountdown.total
        else { return waits }
        return waits + [.linger(.milliseconds(firstCountdown.total.milliseconds / 2))]
    }

    deinit { machine?.end() }
}

extension Source {
    /// The source of events in a trial.
    static let trial = Source(.program)
}

extension LiveTimer {
    /// The timer in a situation: its signal, and whether it is paused or will not fire.
    fileprivate var situationText: String {
        fires + (info.isPaused ? " paused" : "") + (info.mayStillFire ? "" : " passed")
    }
}
