public import Timers

/// A machine written down: all that it takes to go on from there.
public struct MachineSnapshot: Equatable, Sendable {
    /// The state and its data.
    public let place: StateRecord
    /// The timers that are still to fire.
    public let timers: [TimerRecord]
    /// What is deferred, oldest first.
    public let waiting: [Deferred]

    public init(place: StateRecord, timers: [TimerRecord], waiting: [Deferred]) {
        (self.place, self.timers, self.waiting) = (place, timers, waiting)
    }

    /// An event that waits, and who sent it.
    public struct Deferred: Equatable, Sendable {
        public let event: EventRecord
        public let source: Source

        public init(_ event: EventRecord, from source: Source) {
            (self.event, self.source) = (event, source)
        }
    }
}

/// A timer written down.
public struct TimerRecord: Equatable, Sendable {
    /// The signal that it sends.
    public let fires: String
    /// Its full time, with its extensions; a pendulum's period.
    public let total: Duration
    public let standing: TimerState
    /// Counts up with each setting, over all machines of a timer queue.
    public let order: UInt64

    public enum TimerState: Equatable, Sendable {
        /// It fires then.
        case running(until: Instant)
        /// It stands still, and has so much left.
        case paused(remaining: Duration)
    }

    /// Whether it stands still: when it goes on, that is a new setting, and its order is none.
    public var isPaused: Bool { if case .paused = standing { true } else { false } }

    private static let deadlines = Instant.zero...(Instant.last + .longest)
    private static let times = Duration.milliseconds(1)...Duration.longest

    /// Refuses a record that no timer can have been: it may come from a disk.
    func check() throws(Reason) {
        let holds =
            switch standing {
            case .running(let until): Self.deadlines ~= until
            case .paused(let remaining): Duration.zero...Duration.longest ~= remaining
            }
        guard holds, Self.times ~= total || total == .zero, order < UInt64(Int64.max) else {
            throw .invalid(fires, "no timer can be set so")
        }
    }

    public init(fires: String, total: Duration, standing: TimerState, order: UInt64) {
        (self.fires, self.total) = (fires, total)
        (self.standing, self.order) = (standing, order)
    }
}
