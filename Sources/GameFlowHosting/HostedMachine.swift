internal import GameFlow
internal import Support
internal import Timers

/// A machine of a `SessionHost`, what is saved of it, and who waits for it. It belongs to the host's isolation.
final class HostedMachine<F: Flow>
where F.State: Sendable, F.StateName: Sendable, F.Event: Sendable {
    let name: ByteText
    /// The machine; replaced when a step is undone.
    private(set) var machine: StateMachine<F.State, F.Event>
    private let definition: FlowDefinition<F>
    private let clock: TaskClock
    private let observer: StepCounter
    /// The newest requests with an id, the oldest first.
    private(set) var answers: [CodedAnswer] = []
    /// What is saved; nil until the opening is saved.
    private(set) var saved: HostedChanges<F.State>.Element?
    /// Whether a request or a firing is being carried out.
    var isBusy = false
    /// Whether the readers have been shown the change of the last firing, or it made none.
    var isPublished = true
    /// Whether the store refuses the change of a firing, which is tried again.
    var isBlocked = false
    /// The requests and firings that wait, in their order.
    var waiting: [Waiting] = []
    private var watchers: [AsyncStream<HostedChanges<F.State>.Element>.Continuation] = []

    /// The greatest number of requests whose answers are kept.
    static var idLimit: Int { 1024 }

    enum Waiting {
        /// Resumed with nil when it is the request's turn.
        case request(CheckedContinuation<HostRefusal?, Never>)
        case firing(DueFiring)

        /// The firing; nil for a request.
        var firing: DueFiring? { if case .firing(let due) = self { due } else { nil } }
    }

    /// What is needed to undo a step.
    struct Mark {
        fileprivate let snapshot: MachineRecord
        fileprivate let pendulums: [String: Downtime.NextBeat]
        fileprivate let at: Instant
        fileprivate let numbers: (changes: Int, entry: Int)
        fileprivate let answers: [CodedAnswer]
    }

    /// Creates a machine without a state. `due` is called with each firing.
    init(
        _ name: ByteText, _ definition: FlowDefinition<F>, on clock: TaskClock,
        _ numbers: EntryNumbers, due: @escaping (Firing) -> Void
    ) {
        (self.name, self.definition, self.clock) = (name, definition, clock)
        observer = StepCounter(numbers, due)
        machine = Self.newMachine(definition, clock, observer)
        keepWaitingFirings()
    }

    deinit {
        machine.end()
        for watcher in watchers { watcher.finish() }
    }

    private static func newMachine(
        _ definition: FlowDefinition<F>, _ clock: TaskClock, _ observer: StepCounter
    ) -> StateMachine<F.State, F.Event> {
        let machine = definition.anyFlow.machine(
            on: clock.timerQueue, EventQueue(), observer: observer)
        return unsafeDowncast(machine, to: StateMachine<F.State, F.Event>.self)
    }

    /// The number of the visit of the present state.
    var entry: Int { observer.entry }
    /// The number of changes.
    var changes: Int { observer.changes }

    /// The snapshot of the machine as it is now. A timer whose firing waits has yet to fire.
    var snapshot: MachineSnapshot {
        MachineSnapshot(
            record, flow: definition.anyFlow.name, entry: entry, changes: changes,
            answers: answers, at: clock.now)
    }

    private var record: MachineRecord { machine.snapshot(before: waitingFirings) }

    private func keepWaitingFirings() {
        machine.keepWaitingFirings { [unowned self] in waitingFirings }
    }

    /// The firings that wait and belong to the present visit of the state.
    private var waitingFirings: [Firing] {
        waiting.compactMap { item in
            guard let due = item.firing, due.entry == entry else { return nil }
            return due.firing
        }
    }

    /// The number of requests that wait.
    var waitingRequestCount: Int { waiting.count { $0.firing == nil } }

    /// Whether a firing is one of a pendulum of the present state.
    func isPendulum(_ firing: Firing) -> Bool {
        machine.liveTimers.contains { $0.info.isPendulum && $0.info.tag == firing.tag }
    }

    /// Restores the machine, which must be new. Adds its timers to `timers`; the caller sets them.
    func restore(
        _ snapshot: MachineSnapshot, _ downtime: Downtime, adding timers: inout [RestoredTimer]
    ) throws {
        try machine.restore(snapshot.machine(), after: downtime, adding: &timers)
        (observer.changes, observer.entry) = (snapshot.changes, snapshot.entry)
        answers = snapshot.answers
    }

    // MARK: steps

    /// Sends an event from outside.
    func send(_ event: F.Event) throws(Refusal<F.State, F.Event>) -> F.State {
        let forbidden = Refusal(.forbidden, machine.state, event)
        do throws(Reason) { _ = try definition.anyFlow.event(forbidden.eventName) } catch {
            if error == .forbidden { throw forbidden }
        }
        return try machine.send(event)
    }

    /// The machine before a step.
    var mark: Mark {
        let record = record
        return Mark(
            snapshot: record, pendulums: machine.nextBeats(in: record), at: clock.now,
            numbers: (changes, entry), answers: answers)
    }

    /// Undoes the steps since a mark. The timers keep their deadlines, so that those that became due since then, and those whose
    /// firings waited then, fire again. Their old firings no longer wait.
    func undo(to mark: Mark) {
        // The flow has accepted this state before, so it accepts it again; if it does not, the machine stays as it is.
        guard
            let earlier = try? definition.anyFlow.machine(
                continuing: mark.snapshot, on: clock.timerQueue, EventQueue(),
                observer: observer, pendulums: mark.pendulums, snapshotAt: mark.at)
        else { return }
        machine.end()
        waiting.removeAll { $0.firing != nil }
        machine = unsafeDowncast(earlier, to: StateMachine<F.State, F.Event>.self)
        keepWaitingFirings()
        (observer.changes, observer.entry) = mark.numbers
        answers = mark.answers
    }

    /// Puts what waits in its earlier order: the firings that wait again are where they were, and new ones are last.
    func orderWaiting(as earlier: [Waiting]) {
        let before = earlier.compactMap(\.firing)
        var firings = waiting.compactMap(\.firing).flatMap { $0.beats(asIn: before) }
        let ordered = earlier.compactMap { item -> Waiting? in
            guard let due = item.firing else { return item }
            return firings.firstIndex { $0.isSame(as: due) }.map { .firing(firings.remove(at: $0)) }
        }
        waiting = ordered + firings.map { .firing($0) }
    }

    /// Keeps the answer to a request. Returns the ids whose answers are forgotten for it.
    func remember(_ id: RequestID) -> [ByteText] {
        answers.append(CodedAnswer(id.text.text, machine.place))
        let surplus = max(answers.count - Self.idLimit, 0)
        defer { answers.removeFirst(surplus) }
        return answers.prefix(surplus).map { ByteText($0.id) }
    }

    /// The state that a request with an id has led to, without its timers; nil if the id is not known.
    func answer(to id: RequestID) throws(Reason) -> F.State? {
        guard let answer = answers.last(where: { ByteText($0.id) == id.text }) else { return nil }
        let earlier = try definition.anyFlow.machine(
            continuing: MachineRecord(place: answer.place, timers: [], waiting: []),
            on: TimerQueue(), EventQueue(),
            observer: StepCounter(EntryNumbers(startingAt: .zero)) { _ in }, isDryRun: true)
        return unsafeDowncast(earlier, to: StateMachine<F.State, F.Event>.self).state
    }

    // MARK: readers

    /// Shows what was saved to the readers.
    func publish() {
        let element = (entry: entry, state: machine.state)
        saved = element
        watchers.removeAll { watcher in
            if case .terminated = watcher.yield(element) { true } else { false }
        }
    }

    func addWatcher(_ watcher: AsyncStream<HostedChanges<F.State>.Element>.Continuation) {
        if let saved { watcher.yield(saved) }
        watchers.append(watcher)
    }

    /// Ends the timers, the readers and the requests that wait.
    func close() {
        machine.end()
        for watcher in watchers { watcher.finish() }
        watchers = []
        refuseWaiting(.unknown)
    }

    /// Refuses the requests that wait.
    func refuseWaiting(_ refusal: HostRefusal) {
        let all = waiting
        waiting = []
        for item in all {
            switch item {
            case .request(let continuation): continuation.resume(returning: refusal)
            case .firing: waiting.append(item)
            }
        }
    }
}

/// A firing, and the visit of a state to which it belongs.
struct DueFiring {
    let firing: Firing
    let entry: Int

    /// Whether this is a firing of the same timer for the same deadline.
    func isSame(as other: DueFiring) -> Bool {
        firing.tag == other.firing.tag && firing.deadline == other.firing.deadline
    }

    /// The beats of a pendulum that waited before, and are one firing with missed periods after an undo; the firing itself if it has
    /// missed none.
    func beats(asIn earlier: [DueFiring]) -> [DueFiring] {
        let (first, period) = (firing.deadline, firing.total.nanoseconds)
        guard firing.missed > 0 else { return [self] }
        let counts = earlier.compactMap { due -> Int64? in
            let time = (due.firing.deadline - first).nanoseconds
            let isBeat =
                due.entry == entry && due.firing.tag == firing.tag && time > 0
                && time.isMultiple(of: period)
            return isBeat ? time / period : nil
        }
        let starts = [0] + counts.filter { $0 <= firing.missed }
        let ends = starts.dropFirst() + [Int64(firing.missed) + 1]
        return zip(starts, ends).map { start, end in
            DueFiring(
                firing: Firing(
                    tag: firing.tag, deadline: first + .nanoseconds(start * period),
                    missed: Int(end - start) - 1, order: firing.order, total: firing.total),
                entry: entry)
        }
    }
}

/// Counts the changes of a machine, and passes its firings on.
private final class StepCounter: MachineObserver {
    var changes = 0
    /// The number of the visit of the present state.
    var entry = 0
    private let numbers: EntryNumbers
    private let due: (Firing) -> Void

    init(_ numbers: EntryNumbers, _ due: @escaping (Firing) -> Void) {
        (self.numbers, self.due) = (numbers, due)
    }

    func completed(_ step: consuming Step) {
        if step.isBeat { return }
        changes += 1
        if step.kind.isEntry { entry = numbers.next() }
    }

    func due(_ firing: Firing, of machine: AnyMachine) { due(firing) }

    func refused(_ event: EventRecord, _ source: Source, _ refusal: Reason) {}
}
