internal import GameFlow

/// The values that an expression reads, at the indices that its slots hold.
struct EvaluationContext {
    var arguments: [Value] = []
    var data: [Value] = []
    var settings: [Value]
    /// The handles of the state's timers, in the order in which the state declares them; nil for a timer that is not set.
    var timers: [StateTimerHandle?] = []
}
