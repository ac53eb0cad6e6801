internal import Timers

/// The properties that few machines need: hooks, posted events, timer operations and restart policies. The
/// properties are in one object, so that machines without them only store a nil reference. `TypedFeatures` has the properties
/// that depend on the flow's types.
final class MachineFeatures {
    /// The hooks in the order in which they are called.
    let hooks: [any StepHook]
    /// What the step that is being made has requested so far.
    @exclusivity(unchecked) var requests = Requests()

    /// The chance of a flow that is written in Swift after the draws so far. Each state of a flow file has the chance after the
    /// draws that led to it, so this is the chance with which the machine enters its first state, or is restored.
    @exclusivity(unchecked) var chance: Chance?

    /// The moments to which the machine can go back, the newest first. Empty for a flow that keeps none.
    @exclusivity(unchecked) var moments: [Moment] = []

    /// Returns the firings that wait; nil if none ever wait. See `AnyMachine.keepWaitingFirings`.
    @exclusivity(unchecked) var waitingFirings: (() -> [Firing])?

    /// What a step requests. A trial of another step has requests of its own.
    struct Requests {
        /// The events that the step has posted with `Entry.post`.
        var posts: [Post] = []
        /// The operations on timers, such as to pause one, that the step has requested with `Entry.operate`.
        var adjustments: [(timer: TimerID, adjustment: TimerAdjustment)] = []
        /// The restart policy of each timer, by the timer's tag: the raw value of the timer's signal. Used only while the machine
        /// is being restored.
        var policies: [UInt8: AfterRestart] = [:]
        /// The chance before the first draw of the step; nil if the step has drawn nothing.
        var chanceBefore: Chance?
        /// What a transition back has requested; nil during any other transition.
        var returning: AnyMachine.Returning?
    }

    /// An event that a step posts to its own machine.
    struct Post {
        let event: String
        let arguments: [Member]
    }

    init(hooks: [any StepHook]) { self.hooks = hooks }

    /// Keeps the draws of the step, which is made.
    func keepDraws() { requests.chanceBefore = nil }

    /// Takes back the draws of the step, which is refused.
    func takeBackDraws() {
        if let chanceBefore = requests.chanceBefore { chance = chanceBefore }
        keepDraws()
    }

    /// Removes the posts and returns them.
    func takePosts() -> [Post] { exchange(&requests.posts, with: []) }

    /// Removes the operations on timers and returns them.
    func takeAdjustments() -> [(timer: TimerID, adjustment: TimerAdjustment)] {
        exchange(&requests.adjustments, with: [])
    }
}
