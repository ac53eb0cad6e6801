internal import Timers

/// What only few machines have: one object, so that the others carry a reference to nothing.
final class MachineExtras {
    /// The clock, where the machine has to keep it; nil where its owner does.
    let clock: (any TimerClock)?
    /// In the order in which they are asked; the flow's own come first.
    let hooks: [any Hook]
    @exclusivity(unchecked) var observations = ObservationList()
    /// What the entry being made asked to be sent.
    @exclusivity(unchecked) var posts: [Post] = []
    /// What each timer is to do after a restart, by its tag.
    @exclusivity(unchecked) var policies: [UInt8: AfterRestart] = [:]

    struct Post {
        let event: String
        let arguments: [Member]
    }

    init(clock: (any TimerClock)?, hooks: [any Hook]) {
        (self.clock, self.hooks) = (clock, hooks)
    }

    /// Whether anybody but the machine's observer is told of its steps.
    var isFollowed: Bool { !hooks.isEmpty || !observations.isEmpty }

    func takePosts() -> [Post] { exchange(&posts, with: []) }
}

/// What only few machines have that depends on their types.
@usableFromInline final class StateExtras<State, Event> {
    let unhandled: UnhandledEventPolicy
    /// Called with the refusal of each event that has no caller.
    @exclusivity(unchecked) var didRefuse: ((Refusal<State, Event>) -> Void)?
    /// What is deferred, oldest first.
    @exclusivity(unchecked) @usableFromInline var waiting: [StateMachine<State, Event>.Waiting] = []

    init(unhandled: UnhandledEventPolicy) { self.unhandled = unhandled }
}
