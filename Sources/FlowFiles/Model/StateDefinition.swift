internal import GameFlow
internal import Timers

/// A state: its data, its timers, and its rows by event and by timer.
struct StateDefinition {
    let name: String
    var title: String?
    var note: String?
    var isHiddenFromPlayers = false
    var isFinal = false
    var data: [FieldDefinition] = []
    var timers: [TimerDefinition] = []
    /// The rows of each event, by the event's index; nil if the state does not accept the event.
    var eventRows: [[RowDefinition]?] = []
    /// The rows of each timer, by the number of its signal.
    var timerRows: [[RowDefinition]?] = []
    /// The effects of every row that enters the state, before the row's own.
    var entryEffects: [EffectRequest] = []
    /// Whether a row reads or operates a timer, so that the state must keep their handles.
    var usesTimers = false
    /// What the players' screen shows.
    var screen = ScreenDefinition()

    init(name: String) { self.name = name }

    var dataNames: [ExpressionScope.Name] { data.map { .init(name: $0.name, type: $0.type) } }
    var timerNames: [String] { timers.map(\.name) }
}

/// A timer of a state.
struct TimerDefinition {
    enum Kind { case countdown, pendulum }

    let name: String
    /// The number of its signal.
    let signal: UInt8
    var kind = Kind.countdown
    /// The countdown's time or the pendulum's period.
    var duration = CompiledExpression(.int(0), .duration)
    /// The timer is set only if this is true; nil if it is always set.
    var condition: CompiledExpression?
    var afterRestart = AfterRestart.deadline
    var title: String?
    var note: String?
    var isHiddenFromPlayers = false

    init(name: String, signal: UInt8) { (self.name, self.signal) = (name, signal) }

    /// The shortest period of a pendulum, in milliseconds.
    static let shortestPeriod = 10
}

/// What the players' screen shows in a state. The files are names in the host's media directory.
struct ScreenDefinition: Equatable {
    /// The timer that is shown big, by its place among the state's timers.
    var clock: Int?
    var text: String?
    var picture: String?
    var sound: String?
}
