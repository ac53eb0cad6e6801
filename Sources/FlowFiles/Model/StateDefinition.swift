package import GameFlow
package import Timers

/// A state: its data, its timers, and its rows by event and by timer.
package struct StateDefinition {
    package let name: String
    /// The position of the name in the file.
    let position: FilePosition
    package var title: String?
    package var note: String?
    package var isHiddenFromPlayers = false
    /// Whether the game ends in the state, which then has no timers and no rows.
    package var isFinal = false
    package var data: [FieldDefinition] = []
    package var timers: [TimerDefinition] = []
    /// The rows of each event, by the event's index; nil if the state has no rows for the event.
    var eventRows: [[RowDefinition]?] = []
    /// The rows of each timer, by the number of the timer's signal; nil for a signal that no timer of the state sends.
    var timerRows: [[RowDefinition]?] = []
    /// The effects of the key `enter`. Every row that enters the state requests them before its own effects.
    var entryEffects: [EffectRequest] = []
    /// Whether a row of the state reads or operates a timer. Only such a state stores the handles of its timers.
    var usesTimers = false
    /// The contents of the players' screen.
    package var screen = ScreenDefinition()

    init(name: String, position: FilePosition) { (self.name, self.position) = (name, position) }

    /// The data, as the scope of an expression has them.
    var dataVariables: [ExpressionScope.Variable] { data.map(\.variable) }
    /// The timers, as the scope of an expression has them.
    var timerVariables: [ExpressionScope.Timer] {
        timers.map { .init(name: $0.name, kind: $0.kind, hasOvertime: $0.hasOvertime) }
    }
    var timerNames: [String] { timers.map(\.name) }
    /// Whether a row of the state goes back.
    var hasBackRows: Bool {
        (eventRows + timerRows).contains { rows in
            (rows ?? []).contains { if case .back = $0.action { true } else { false } }
        }
    }
}

/// A timer of a state.
package struct TimerDefinition {
    package let name: String
    /// The number of the timer's signal: the index of the timer's name in `FlowFileDefinition.timerNames`.
    package let signal: UInt8
    package var kind = TimerKind.countdown
    /// Whether the timer begins paused, and whether it is a countdown that runs on below zero.
    var traits: TimerTraits = []
    /// The countdown's time, the pendulum's period, or what the countdown of a mark has left, in milliseconds; a time of day at
    /// which the timer fires; zero for a stopwatch.
    var duration = CompiledExpression(.int(0), .duration)
    /// The condition under which the timer is set when the state is entered; nil if the timer is always set.
    var condition: CompiledExpression?
    /// What becomes of the timer when its session is restored after the daemon was down.
    package var afterRestart = AfterRestart.deadline
    /// For a mark, the index of its countdown among the state's timers; nil for any other timer.
    var countdown: Int?
    package var title: String?
    package var note: String?
    package var isHiddenFromPlayers = false

    init(name: String, signal: UInt8) { (self.name, self.signal) = (name, signal) }

    /// Whether what the timer has left may be negative.
    var hasOvertime: Bool { traits.contains(.overtime) }
    /// Whether the timer fires at all.
    var canFire: Bool { kind != .stopwatch }

    /// The shortest period of a pendulum, in milliseconds.
    static let shortestPeriod = Int(Duration.shortestPeriod.milliseconds)
}

/// The players' screen in a state.
package struct ScreenDefinition {
    /// The timer that is shown big, by its index among the state's timers.
    package var clock: Int?
    /// Whether this timer is the subject of the screen.
    package var isClockBig = false
    /// The names of the data and timers that the screen draws, in this order; nil if the state does not choose them.
    package var playersList: [String]?
    /// Whether the screen lets people join.
    package var invites = false
    /// The name of the event that screens send when they have played the video; nil if they send none.
    package var ended: String?
    /// The texts of the key `show`, in the order of `FlowFileChecker.shownTextKeys`. They see the state's data and the settings.
    var parts: [(key: String, value: CompiledExpression)] = []

    /// Returns a text of the key `show`; nil if the state has no such text, or if the text depends on data.
    package func text(_ key: String) -> String? {
        parts.first { $0.key == key }?.value.constant?.text
    }
}
