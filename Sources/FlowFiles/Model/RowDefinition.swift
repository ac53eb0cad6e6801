internal import GameFlow

/// One row of a state for an event or a timer. The first row whose condition is true is taken.
struct RowDefinition {
    /// Nil if the row has no condition and is always taken.
    let condition: CompiledExpression?
    let action: RowAction
}

/// The action of a row.
enum RowAction {
    /// Stays in the state and changes nothing.
    case stay
    /// Defers the event until a state takes it.
    case `defer`
    /// Refuses the event as `noTransition`.
    case refuse
    /// Refuses the event as `invalid`, with the name of an argument or a datum, and a reason.
    case invalid(argument: String, why: CompiledExpression)
    case enter(EntryPlan)
    /// Stays in the state, and carries out the plan.
    case keep(ChangePlan)
}

/// An entry into a state. `EntryPlan` and `ChangePlan` are classes, so that taking a row copies one reference.
final class EntryPlan {
    /// The index of the entered state.
    let state: Int
    /// The values of the entered state's data, in their order.
    let data: [CompiledExpression]
    /// The countdowns of the entered state that do not start with their declared time. `timer` is the countdown's index
    /// among the state's timers, and `time` is the time with which it starts.
    let remaining: [(timer: Int, time: CompiledExpression)]
    let effects: [EffectRequest]
    let post: PostRequest?

    init(
        state: Int, data: [CompiledExpression],
        remaining: [(timer: Int, time: CompiledExpression)], effects: [EffectRequest],
        post: PostRequest?
    ) {
        (self.state, self.data, self.remaining) = (state, data, remaining)
        (self.effects, self.post) = (effects, post)
    }
}

/// The changes of a row that stays in its state.
final class ChangePlan {
    /// The new values of those data that change. `index` is the index of the datum among the state's data.
    let data: [(index: Int, value: CompiledExpression)]
    let effects: [EffectRequest]
    let post: PostRequest?
    let operations: [TimerRequest]

    init(
        data: [(index: Int, value: CompiledExpression)], effects: [EffectRequest],
        post: PostRequest?, operations: [TimerRequest]
    ) {
        (self.data, self.effects) = (data, effects)
        (self.post, self.operations) = (post, operations)
    }
}

/// An effect that a row requests.
struct EffectRequest {
    let name: String
    let arguments: [(name: String, value: CompiledExpression)]
}

/// An event that a row sends to its own session.
struct PostRequest {
    let event: String
    let arguments: [(name: String, value: CompiledExpression)]
}

/// An operation of a row on one of the state's own timers.
struct TimerRequest {
    enum Kind: String, CaseIterable {
        case pause, resume, restart, extend, shorten, set

        /// Whether the operation needs a duration.
        var needsDuration: Bool { self == .extend || self == .shorten || self == .set }
    }

    let kind: Kind
    /// The timer's index among the state's timers.
    let timer: Int
    /// The duration of `extend`, `shorten` and `set`.
    let time: CompiledExpression?
}
