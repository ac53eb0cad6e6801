internal import GameFlow

/// The values that an expression can read when it is evaluated: the arguments of the event, the data of the state, and the
/// settings of the session. Each array is in the order of the declarations. A slot of an expression is an index into one of
/// these arrays.
struct EvaluationContext {
    var arguments: [Value] = []
    var data: [Value] = []
    var settings: [Value]
    /// The handles of the state's timers, in the order of the timers' declarations; nil for a timer that is not set. A handle
    /// gives an expression the remaining time of its timer.
    var timers: [StateTimerHandle?] = []
    /// What `random`, `pick` and `shuffle` draw from; nil if the flow draws nothing.
    var draws: DrawSequence?
}
