internal import GameFlow
internal import Timers

/// One session on a virtual clock of its own, to which moves are made.
final class Trial: MachineObserver {
    let flow: AnyFlow
    let time = VirtualClock()
    private(set) var machine: AnyMachine!
    /// Everything that was done since the last move began; of beats in a row, the first.
    private(set) var steps: [Step] = []
    private(set) var refusals: [Reason] = []
    /// How often a state was entered: what is waited for is over when that changes.
    private(set) var entries = 0
    /// Whether nobody has lingered in the state since it was entered.
    private var isFresh = true
    /// What the timers had left, as `situation` compares it.
    private var left: [Left] = []

    /// How many timers have fired.
    private(set) var firings = 0
    /// Whether a wait was given up: nobody can say what would have come of it.
    private(set) var isTired = false

    /// How many timers may fire in one wait; a wait that needs more is given up.
    static let patience = 100_000

    /// A session in a state of its flow, in the initial one unless told otherwise.
    /// Of a rehearsal, the flow's own hooks hear nothing.
    init(
        opening flow: AnyFlow, _ state: String? = nil, _ data: [Member] = [],
        isRehearsal: Bool = true
    ) throws(Reason) {
        self.flow = flow
        machine = flow.machine(
            on: time.timerQueue, EventQueue(), observer: self, isRehearsal: isRehearsal)
        try machine.open(state, data, from: .trial)
        mark()
    }

    /// The same with data that were found to be the state's own.
    convenience init(_ flow: AnyFlow, openedIn state: String? = nil, _ data: [Member] = []) {
        do throws(Reason) { try self.init(opening: flow, state, data) } catch {
            // Who tries a flow has asked for its `mistakes` before.
            fatalError("\(flow.name) cannot begin in \(state ?? flow.initial): \(error)")
        }
    }

    /// A session that has gone that way.
    convenience init(_ flow: AnyFlow, after moves: [Move]) {
        self.init(flow)
        for move in moves { _ = make(move) }
    }

    func did(_ step: consuming Step) {
        switch step.kind {
        case .open, .enter, .goto:
            entries += 1
            isFresh = true
        case .keep, .defer, .drop, .timer, .close: break
        }
        // Of a row of beats the first says it all, and a wait of days has a hundred thousand.
        if step.isBeat, let last = steps.last, last.isBeat, last.event === step.event { return }
        steps.append(step)
    }

    func refused(_ event: EventRecord, _ source: Source, _ refusal: Reason) {
        refusals.append(refusal)
    }

    // MARK: moves

    /// Forgets what was done so far.
    func begin() { (steps, refusals) = ([], []) }

    /// Makes a move; nil where the session does not take the event, or another timer comes first.
    func make(_ move: Move) -> Leg? {
        begin()
        let (start, entry) = (time.now, entries)
        defer { if entries != entry { mark() } }
        switch move {
        case .send(let event, let arguments):
            guard refusal(of: event, arguments) == nil else { return nil }
        case .wait(let signal):
            guard wait(for: signal), refusals.isEmpty else { return nil }
        case .linger(let interval):
            wait(interval)
            guard entries == entry, time.now - start == interval else { return nil }
            isFresh = false
            mark()
        }
        return Leg(move: move, took: time.now - start, steps: steps, place: machine.place)
    }

    /// Sends an event; what it is refused with, if it is.
    func refusal(of event: String, _ arguments: [Member]) -> Reason? {
        do throws(Reason) {
            try machine.send(flow.event(event), arguments, from: .trial)
            return nil
        } catch { return error }
    }

    /// Lets time go on until the timer has fired; false when the state was left before.
    private func wait(for signal: String) -> Bool {
        machine.timer(signal) != nil && firedBeforeLeaving([signal]).contains(signal)
    }

    /// Lets time go by.
    func wait(_ interval: Duration) {
        let step = time.advance(by: interval, limit: Self.patience)
        firings += step.fired.count
        isTired = isTired || step.isCutShort
    }

    /// Fires the timer that comes first; its signal, or nil when there is none.
    func fireNext() -> String? {
        var signal: String?
        time.advanceToNext(limit: 1) { firing, _ in signal = self.flow.signalName(firing.tag) }
        firings += 1
        return signal
    }

    /// Lets time alone go on until the state is left, or each of the signals was sent; those that were.
    func firedBeforeLeaving(_ signals: [String]) -> Set<String> {
        var fired: Set<String> = []
        let entry = entries
        for _ in 0..<Self.patience {
            guard entries == entry, !fired.isSuperset(of: signals), let next = fireNext() else {
                return fired
            }
            fired.insert(next)
        }
        isTired = true
        return fired
    }

    /// What is alike in two sessions that will do the same: state, data, what is deferred, and what the
    /// timers had left when the state was entered or was last lingered in. Beats between do not count.
    var situation: Situation {
        Situation(place: machine.place, waiting: machine.deferredCount, left: left)
    }

    struct Situation: Hashable {
        let place: StateRecord
        /// How many events are deferred.
        let waiting: Int
        let left: [Left]
    }

    /// What a timer has left.
    struct Left: Hashable {
        let fires: String
        let milliseconds: Int64
    }

    /// Notes what the timers have left now.
    private func mark() {
        left = machine.liveTimers.map {
            Left(fires: $0.fires, milliseconds: $0.info.remaining.milliseconds)
        }
    }

    /// What may be waited for here: each timer, and, once a stay, half of the first countdown's time, so
    /// that what depends on what is left has something left to depend on.
    var waits: [Move] {
        let timers = machine.liveTimers
        let waits = timers.map { Move.wait($0.fires) }
        let first = timers.filter { !$0.info.isPendulum }.map(\.info).min {
            $0.remaining < $1.remaining
        }
        guard let first, isFresh, first.remaining == first.total else { return waits }
        return waits + [.linger(.milliseconds(first.total.milliseconds / 2))]
    }

    deinit { machine?.end() }
}

extension Source {
    /// Whoever tries out what would become of something.
    static let trial = Source(.program)
}
