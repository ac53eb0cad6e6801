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
    /// Refuses the event as `invalid`, with a reason. The reason is about an argument or a datum; nil if it is about the event
    /// as a whole.
    case invalid(argument: String?, why: CompiledExpression)
    /// Enters a state. This may be the present state, which the machine then enters again.
    case enter(EntryPlan)
    /// Enters the state from which the present one was entered, as it was then.
    case back(BackPlan)
    /// Stays in the state, and changes its data and timers.
    case change(ChangePlan)
}

extension RowAction {
    /// Whether the event is taken or deferred, and not refused.
    var isTaken: Bool {
        switch self {
        case .stay, .defer, .enter, .back, .change: true
        case .refuse, .invalid: false
        }
    }

    /// Whether the state is left. It may be entered again.
    var leaves: Bool {
        switch self {
        case .enter, .back: true
        case .stay, .defer, .refuse, .invalid, .change: false
        }
    }

    /// The plans of the entries that the action can make.
    var entries: [EntryPlan] {
        switch self {
        case .enter(let plan): [plan]
        case .back(let plan): plan.entries
        case .stay, .defer, .refuse, .invalid, .change: []
        }
    }
}

extension RowAction {
    /// The expressions of the action that are evaluated before the step: with the event and the old data.
    var oldExpressions: [CompiledExpression] {
        switch self {
        case .stay, .defer, .refuse: []
        case .invalid(_, let why): [why]
        case .enter, .back: entries.flatMap(\.oldExpressions)
        case .change(let plan):
            plan.data.map(\.value) + plan.effects.flatMap { $0.arguments.map(\.value) }
                + (plan.post?.arguments ?? []).map(\.value) + plan.operations.compactMap(\.time)
        }
    }
}

/// The plan of a row that enters a state: which state, with which data, and what is requested. `EntryPlan` and `ChangePlan` are
/// classes, so that taking a row copies one reference.
final class EntryPlan {
    /// The index of the entered state.
    let state: Int
    /// The values of the entered state's data, in the order of the data's declarations.
    let data: [CompiledExpression]
    /// For a row that goes back, the indices of the data that it changes; the others have the values of then. Nil for any other row.
    let changed: Set<Int>?
    /// The countdowns of the entered state that do not start with their declared time. `timer` is the countdown's index among
    /// the timers of the entered state, and `time` is the time with which it starts, in milliseconds.
    let remaining: [(timer: Int, time: CompiledExpression)]
    /// The effects of the key `leave` of the state that is left. They read the event and the old data.
    let exitEffects: [EffectRequest]
    /// The effects of the row itself.
    let effects: [EffectRequest]
    let post: PostRequest?
    /// The expressions of the row that draw random values, in their written order.
    var draws: [RowDraw] = []

    init(
        state: Int, data: [CompiledExpression],
        remaining: [(timer: Int, time: CompiledExpression)], exitEffects: [EffectRequest],
        effects: [EffectRequest], post: PostRequest?, changed: Set<Int>? = nil
    ) {
        (self.state, self.data, self.remaining) = (state, data, remaining)
        (self.exitEffects, self.effects, self.post) = (exitEffects, effects, post)
        self.changed = changed
    }

    /// The expressions that are evaluated before the step.
    fileprivate var oldExpressions: [CompiledExpression] {
        data + remaining.map(\.time)
            + (exitEffects + effects).flatMap { $0.arguments.map(\.value) }
            + (post?.arguments ?? []).map(\.value)
    }
}

/// The plan of a row that goes back: an entry for each state that it can go back to.
final class BackPlan {
    /// Known when all rows of the file are.
    var entries: [EntryPlan] = []
}

/// The plan of a row that stays in its state: what changes there, and what is requested.
final class ChangePlan {
    /// The new values of those data that change. `index` is the index of the datum among the state's data.
    let data: [(index: Int, value: CompiledExpression)]
    let effects: [EffectRequest]
    let post: PostRequest?
    /// The operations on the state's timers.
    let operations: [TimerRequest]
    /// The expressions of the row that draw random values, in their written order.
    var draws: [RowDraw] = []

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

/// An event that a row sends to its own session. It runs after the step.
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
    /// The duration of `extend`, `shorten` and `set`, in milliseconds; nil for the other operations.
    let time: CompiledExpression?
}
