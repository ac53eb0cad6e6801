internal import Timers

/// A machine's state as its observers see it. A `Derived` value, which is computed from the states of machines, keeps the
/// publishers of these machines, even after the machines were released.
@usableFromInline final class StatePublisher<State>: ChangeSource {
    // `publish` runs for each step, and calls the observers when it has changed these properties.
    @exclusivity(unchecked) @usableFromInline var current: State
    /// The number of published steps. `Derived` compares it to find out whether the state has changed.
    @exclusivity(unchecked) @usableFromInline var version = 0
    /// The number of the newest observer that was added before the present step. The step is not reported to those that a hook adds,
    /// because they read the new state when they begin.
    @exclusivity(unchecked) @usableFromInline var newestBeforeStep = 0
    /// Whether the machine has ended.
    private var isFinished = false
    @usableFromInline let observers = ObserverList<State>()
    /// Called once, when the machine ends.
    private let endObservers = ObserverList<Void>()

    init(_ current: State) { self.current = current }

    /// Reports a step to the observers: the state before it and the state after it. Inlinable, so that the compiler specialises it in
    /// the flow's module: unspecialised, it takes longer than the event.
    @inlinable func publish(_ old: State?, _ new: State) {
        update(new)
        notify(old, new)
    }

    /// Makes the state after a step the one that derived values and new observers read, before the hooks are called.
    @inlinable func update(_ new: State) {
        current = new
        version += 1
        newestBeforeStep = observers.lastNumber
    }

    /// Reports a step to the observers. Call `update` first.
    @inlinable func notify(_ old: State?, _ new: State) {
        observers.call(old, new, upTo: newestBeforeStep)
    }

    /// Calls `call` after each later step, until the token is released.
    func observe(_ call: @escaping ObserverList<State>.Observer) -> ObservationToken {
        observers.add(call)
    }

    func observeChanges(_ changed: @escaping () -> Void) -> ObservationToken {
        observers.add { _, _ in changed() }
    }

    func onEnd(_ ended: @escaping () -> Void) -> ObservationToken {
        if isFinished {
            ended()
            return ObservationToken {}
        }
        return endObservers.add { _, _ in ended() }
    }

    /// Called when the machine ends.
    func finish() {
        guard !isFinished else { return }
        isFinished = true
        endObservers.call(nil, (), upTo: endObservers.lastNumber)
    }
}

extension StateMachine {
    /// Calls `call` at once with nil and the present state. Then calls `call` with the old and the new state, after each step
    /// that enters a state, sets the state's data or requests an effect. The calls end when the token is released. An event
    /// that `call` sends runs after the step.
    public func observe(_ call: @escaping (_ old: State?, _ new: State) -> Void) -> ObservationToken
    {
        let token = publisher.observe(call)
        // As a step, so that an event that `call` sends runs after `call` has returned.
        queue.runAsStep { call(nil, current!) }
        return token
    }

    /// The publisher of the state; created at the first observation.
    var publisher: StatePublisher<State> {
        // The first call of the observer may use the handles in the state.
        timerQueue.adoptContext()
        if preparesForEvents { prepareForReading() }
        // The rarely used parts of a machine, which are created when one of them is used for the first time.
        let features = existingOrNewTypedFeatures
        if let publisher = features.publisher { return publisher }
        let newPublisher = StatePublisher(current!)
        if hasEnded { newPublisher.finish() }
        features.publisher = newPublisher
        updateHasObservers()
        return newPublisher
    }
}
