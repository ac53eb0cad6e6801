public import Timers

/// An object that decides which state may follow which, and is called after each transition. A machine does not retain its
/// delegate.
public protocol MachineDelegate: AnyObject {
    associatedtype State
    /// Returns whether `to` may follow `from`. This method must not have side effects: the machine also calls it when nothing
    /// happens, to answer `can` and `mayFollow`.
    func shouldTransition(from: State, to: State) -> Bool
    /// Called after the transition from `from` to `to`. Events that it sends are posted.
    func didTransition(from: State, to: State)
}

extension MachineDelegate {
    public func didTransition(from: State, to: State) {}

    /// A hook that calls the delegate's `didTransition` after each transition, and does not retain the delegate. A `DelegateFlow`
    /// with hooks of its own returns this hook among them.
    public func hook<Event>() -> Hook<State, Event> {
        Hook(
            "didTransition",
            did: { [weak self] from, _, to in self?.didTransition(from: from, to: to) })
    }
}

/// A machine with a delegate. Its event is the requested state.
extension StateMachine where Event == State {
    /// Creates a machine that asks its delegate before each transition. The machine refers to the delegate weakly; after the
    /// delegate was released, the machine refuses every event. If `clock` is nil, the machine creates and retains a
    /// `TaskClock`, whose timers fire on the actor `isolation`: by default the caller's.
    public convenience init<Delegate: MachineDelegate>(
        initial: State, delegate: Delegate, on clock: (any TimerClock)? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) where Delegate.State == State {
        let engine = Engine<State, State>(initial) {
            [weak delegate] state, requestedState throws(Reason) in
            guard let delegate, delegate.shouldTransition(from: state, to: requestedState) else {
                throw .noTransition
            }
            return requestedState
        }
        self.init(engine, on: clock ?? TaskClock(isolation: isolation), hooks: [delegate.hook()])
    }

    /// The present state. Assigning a state enters it if the delegate allows that; otherwise nothing happens.
    public var state: State {
        get { readState() }
        set { _ = try? send(newValue) }
    }

    /// Enters a state; throws if the delegate does not allow that.
    public func enter(_ state: State) throws(Refusal<State, Event>) { try send(state) }
}

extension StateMachine where Event == State, State: CaseIterable {
    /// The states that may follow the present state: those that the delegate would allow now.
    public var mayFollow: [State] { State.allCases.filter { can($0) } }
}
