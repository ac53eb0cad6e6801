internal import Timers

/// The properties of the features that few machines use: an own clock, hooks, posted events and timer operations. They are in one
/// object, so that the other machines only store a nil reference. `TypedFeatures` has those that depend on the flow's types.
final class MachineFeatures {
    /// The clock, if the machine retains it; nil if the machine's owner does.
    let clock: (any TimerClock)?
    /// The hooks in the order in which they are called.
    let hooks: [any StepHook]
    /// The events that the step being made has posted with `Entry.post`.
    @exclusivity(unchecked) var posts: [Post] = []
    /// The operations on timers that the step being made has requested.
    @exclusivity(unchecked) var adjustments: [(timer: TimerID, adjustment: TimerAdjustment)] = []
    /// The restart policy of each timer, by the timer's tag; used only while the machine is being restored.
    @exclusivity(unchecked) var policies: [UInt8: AfterRestart] = [:]

    struct Post {
        let event: String
        let arguments: [Member]
    }

    init(clock: (any TimerClock)?, hooks: [any StepHook]) {
        (self.clock, self.hooks) = (clock, hooks)
    }

    func takePosts() -> [Post] { exchange(&posts, with: []) }

    func takeAdjustments() -> [(timer: TimerID, adjustment: TimerAdjustment)] {
        exchange(&adjustments, with: [])
    }
}
