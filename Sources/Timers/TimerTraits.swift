/// What distinguishes a timer from a countdown that runs as soon as it is set and fires once.
public struct TimerTraits: OptionSet, Hashable, Sendable, BitwiseCopyable {
    /// A journal contains the low byte, and a snapshot of a `SessionHost` also `mark`. These bits never get another meaning.
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The timer fires periodically.
    package static let pendulum = TimerTraits(rawValue: 1)
    /// The timer counts the time for which it has run, and never fires.
    package static let stopwatch = TimerTraits(rawValue: 2)
    /// A countdown that fires when no time is left, and then runs on: its remaining time becomes negative.
    public static let overtime = TimerTraits(rawValue: 4)
    /// A countdown with overtime that has fired. It fires again only if it gets more than no time.
    public static let fired = TimerTraits(rawValue: 8)
    /// The timer begins paused, and has not been started yet.
    public static let beginsPaused = TimerTraits(rawValue: 16)

    /// An operator paused the timer together with the others of its state.
    public static let held = TimerTraits(rawValue: 32)
    /// The program, which can be a row of a flow, paused the timer. A paused timer with neither this trait nor `held` or
    /// `beginsPaused` was paused by an operator who named it.
    public static let pausedByProgram = TimerTraits(rawValue: 64)
    /// The timer fires at a time of day; see `UntilTime`.
    package static let until = TimerTraits(rawValue: 128)
    /// A mark on a countdown; see `TimerMark`.
    package static let mark = TimerTraits(rawValue: 256)
    /// A countdown that has marks.
    static let marked = TimerTraits(rawValue: 512)

    /// The traits that say who paused a paused timer.
    package static let pausing: TimerTraits = [.beginsPaused, .held, .pausedByProgram]
    /// The traits that change while a timer is live.
    package static let changing: TimerTraits = [.fired, .beginsPaused, .held, .pausedByProgram]

    /// The traits that a journal contains. A timer's row says whether it is a pendulum.
    package static let recorded: TimerTraits = [
        .stopwatch, .overtime, .fired, .beginsPaused, .until, .held, .pausedByProgram,
    ]

    /// Whether the remaining time may be negative. The remaining time of a stopwatch is the negative of the time that it has
    /// spent.
    @inline(__always) package var mayBeNegative: Bool {
        !isDisjoint(with: [.stopwatch, .overtime])
    }
    /// Whether a running timer will never fire in its present state.
    @inline(__always) package var isSilent: Bool { !isDisjoint(with: [.stopwatch, .fired]) }
}

/// The kind of a timer.
public enum TimerKind: String, Sendable {
    /// Fires once, when its time is over.
    case countdown
    /// Fires periodically.
    case pendulum
    /// Counts the time for which it has run; never fires.
    case stopwatch
    /// A mark on a countdown: fires when the countdown has a certain time left.
    case when
    /// Fires once, when the wall clock shows a time of day.
    case until
}
