internal import Timers

/// Properties that few machines need, in one object, so that the other machines only store a nil reference.
final class MachineExtras {
    /// The clock, if the machine retains it; nil if the machine's owner does.
    let clock: (any TimerClock)?
    /// The hooks in the order in which they are called; the flow's own come first.
    let hooks: [any Hook]
    @exclusivity(unchecked) var observations = ObservationList()
    /// The events that the entry being made has posted.
    @exclusivity(unchecked) var posts: [Post] = []
    /// The restart policy of each timer, by its tag.
    @exclusivity(unchecked) var policies: [UInt8: AfterRestart] = [:]

    struct Post {
        let event: String
        let arguments: [Member]
    }

    init(clock: (any TimerClock)?, hooks: [any Hook]) {
        (self.clock, self.hooks) = (clock, hooks)
    }

    /// Whether hooks or observations receive the machine's steps.
    var isFollowed: Bool { !hooks.isEmpty || !observations.isEmpty }

    func takePosts() -> [Post] { exchange(&posts, with: []) }
}

/// Properties that few machines need and that depend on the flow's types.
@usableFromInline final class StateExtras<State, Event> {
    let unhandled: UnhandledEventPolicy
    /// Called with the refusal of each event that has no caller.
    @exclusivity(unchecked) var didRefuse: ((Refusal<State, Event>) -> Void)?
    /// The deferred events, oldest first.
    @exclusivity(unchecked) @usableFromInline var waiting: [StateMachine<State, Event>.Waiting] = []

    init(unhandled: UnhandledEventPolicy) { self.unhandled = unhandled }
}
