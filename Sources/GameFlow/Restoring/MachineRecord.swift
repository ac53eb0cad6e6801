public import Timers

/// A snapshot of a machine: everything that is needed to restore it.
@usableFromInline package struct MachineRecord: Equatable, Sendable {
    /// The state and its data.
    @usableFromInline package let place: StateRecord
    /// The running and the paused timers, and in a snapshot of a host (`AnyMachine.snapshot(before:)`) those whose firings wait.
    package let timers: [TimerRecord]
    /// The deferred events, which wait for a state that takes them, oldest first.
    @usableFromInline package let waiting: [Deferred]
    private let extras: MachineExtras?
    /// Whether the machine has marks on its countdowns, which fire before them. A decoded record says false, and the value makes no
    /// difference between records.
    package private(set) var hasMarks = false

    /// The machine's chance; nil for a flow that draws nothing.
    package var chance: Chance? { extras?.chance }
    /// The moments to which the machine can go back, the newest first.
    package var moments: [Moment] { extras?.moments ?? [] }
    /// Whether there are moments.
    package var hasMoments: Bool { extras != nil && !moments.isEmpty }

    package init(
        place: StateRecord, timers: [TimerRecord], waiting: [Deferred], chance: Chance? = nil,
        moments: [Moment] = []
    ) {
        self.init(
            place: place, timers: timers, waiting: waiting, hasMarks: false,
            MachineExtras(chance, moments))
    }

    init(
        place: StateRecord, timers: [TimerRecord], waiting: [Deferred], hasMarks: Bool,
        _ extras: MachineExtras?
    ) {
        (self.place, self.timers, self.waiting) = (place, timers, waiting)
        (self.extras, self.hasMarks) = (extras, hasMarks)
    }

    /// The snapshot with other timers.
    func with(_ timers: [TimerRecord]) -> MachineRecord {
        MachineRecord(place: place, timers: timers, waiting: waiting, hasMarks: hasMarks, extras)
    }

    /// The snapshot with its timers numbered from zero, in their order.
    var numberedInOrder: MachineRecord {
        with(timers.enumerated().map { $1.numbered(UInt64($0)) })
    }

    /// The snapshot with another chance.
    package func with(_ chance: Chance?) -> MachineRecord {
        if chance == self.chance { return self }
        var changed = MachineRecord(
            place: place, timers: timers, waiting: waiting, chance: chance, moments: moments)
        changed.hasMarks = hasMarks
        return changed
    }

    @usableFromInline package static func == (a: MachineRecord, b: MachineRecord) -> Bool {
        a.place == b.place && a.timers == b.timers && a.waiting == b.waiting
            && a.extras == b.extras
    }

    /// A deferred event and its sender.
    @usableFromInline package struct Deferred: Equatable, Sendable {
        @usableFromInline package let event: EventRecord
        @usableFromInline package let source: Source

        package init(_ event: EventRecord, from source: Source) {
            (self.event, self.source) = (event, source)
        }
    }
}

/// The record of a timer.
public struct TimerRecord: Equatable, Sendable {
    /// The signal that the timer sends.
    public let fires: String
    /// A countdown's full duration with its extensions; a pendulum's period.
    public let total: Duration
    /// Whether the timer runs or is paused, with its deadline or its remaining time.
    public let state: TimerState
    /// The timer's number in the order in which the timers of all machines of a timer queue were set.
    public let order: UInt64
    /// What distinguishes the timer from a countdown without overtime that was started: recorded, because the flow alone does
    /// not say whether a countdown in overtime has fired, and whether a timer that begins paused was started.
    public let traits: TimerTraits
    /// For a timer that fires at a time of day, that time and its deadline; nil for any other timer.
    package let until: UntilTime?

    public enum TimerState: Equatable, Sendable {
        /// The timer fires at `until`. A countdown in overtime had nothing left then; a stopwatch had spent nothing then.
        case running(until: Instant)
        /// The timer is paused with `remaining` left. It is negative in overtime; for a stopwatch, it is the negative of the time
        /// that the stopwatch has spent.
        case paused(remaining: Duration)
    }

    /// Whether this stands for a mark that is due or whose firing waits; see `AnyMachine.snapshot(before:)`. Other marks have no
    /// records.
    var isWaitingMark: Bool { traits.contains(.mark) }

    /// Whether the timer is paused. The order of a paused timer is irrelevant, because resuming the timer gives it a new order.
    public var isPaused: Bool { if case .paused = state { true } else { false } }

    /// The instant at which the timer fires; nil if it is paused, or will not fire.
    package var deadline: Instant? {
        guard !traits.isSilent, case .running(let until) = state else { return nil }
        return until
    }

    /// The deadlines that a timer can have.
    private static let deadlines = Instant.zero...(Instant.last + .longest)
    /// The full durations that a timer can have, besides zero. Zero is the duration of a countdown that fires at once, and
    /// stands for an unknown duration; see `MachineState.snapshot`.
    private static let totals = Duration.milliseconds(1)...Duration.longest

    /// Throws if no timer can have these values; the record may come from a damaged or foreign file. `order` must be less than
    /// the largest signed integer, because the records store it as a signed integer.
    func check() throws(Reason) {
        let isPossible =
            switch state {
            case .running(let until):
                Self.deadlines ~= until || traits.isSilent && until < .zero
            case .paused(let remaining):
                Duration.zero...Duration.longest ~= remaining
                    || traits.mayBeNegative && .zero - .longest...Duration.zero ~= remaining
            }
        guard isPossible, Self.totals ~= total || total == .zero, order < UInt64(Int64.max),
            traits.contains(.until) == (until != nil)
        else {
            throw .invalid(fires, "a timer cannot have these values")
        }
    }

    package init(
        fires: String, total: Duration, state: TimerState, order: UInt64,
        traits: TimerTraits = [], until: UntilTime? = nil
    ) {
        (self.fires, self.total) = (fires, total)
        (self.state, self.order, self.traits) = (state, order, traits)
        self.until = until
    }

    /// The record of a live timer as it is now.
    init(_ timer: LiveTimer) {
        let info = timer.info
        self.init(
            timer, info.end.map { .running(until: $0) } ?? .paused(remaining: info.remaining),
            order: info.order)
    }

    /// The record of a timer in the given state.
    init(_ timer: LiveTimer, _ state: TimerState, order: UInt64) {
        self.init(
            fires: timer.fires, total: timer.info.total, state: state, order: order,
            traits: timer.info.traits.intersection([.recorded, .mark]), until: timer.until)
    }

    /// The record with another order.
    package func numbered(_ order: UInt64) -> TimerRecord {
        TimerRecord(
            fires: fires, total: total, state: state, order: order, traits: traits, until: until)
    }
}

extension TimerRecord {
    /// The record in another state.
    func with(_ state: TimerState, _ traits: TimerTraits? = nil) -> TimerRecord {
        TimerRecord(
            fires: fires, total: total, state: state, order: order, traits: traits ?? self.traits,
            until: until)
    }

    /// The record of a countdown that has `remaining` left at the instant `now`, and stays paused if it is.
    func starting(with remaining: Duration, at now: Instant) -> TimerRecord {
        var traits = traits
        if remaining > .zero {
            traits.remove(.fired)
        } else if remaining < .zero, traits.contains(.overtime) {
            traits.insert(.fired)
        }
        return with(
            isPaused ? .paused(remaining: remaining) : .running(until: now + remaining), traits)
    }

    /// The record, without what was computed from the time of day at which the timer fires.
    package var withoutDeadlineAtTimeOfDay: TimerRecord {
        guard let until else { return self }
        return TimerRecord(
            fires: fires, total: .zero,
            state: isPaused ? .paused(remaining: .zero) : .running(until: .zero), order: order,
            traits: traits,
            until: UntilTime(
                until.time, zone: "", since: .zero, date: .zero, deadline: .zero))
    }

    /// Whether the recorded timer cannot continue as a timer with the traits that the flow now declares: it has fired and would
    /// have no overtime, or only one of the two is a stopwatch or fires at a time of day.
    func hasEnded(withTraits declared: TimerTraits) -> Bool {
        traits.contains(.stopwatch) != declared.contains(.stopwatch)
            || traits.contains(.until) != declared.contains(.until)
            || traits.contains(.fired) && !declared.contains(.overtime)
    }
}
