internal import Timers

/// A flow whose events request a state, and whose delegate decides whether the state may follow.
///
/// See `Permissions` for an example.
public protocol DelegateFlow: ValueFlow where State == StateName {
    associatedtype Delegate: TransitionDelegate where Delegate.State == State
    /// The delegate that decides on transitions and is called after them.
    var delegate: Delegate { get }
    /// Returns the state that the event requests; nil if it requests none.
    func wanted(_ state: State, _ event: Event) -> State?
    /// Returns the effect that the transition requests.
    func effect(from: State, to: State) -> Effect?
}

extension DelegateFlow {
    public func effect(from: State, to: State) -> Effect? { nil }
    public func hooks() -> [any Hook] { [DidTransition<Delegate>(delegate)] }
    public func scene(_ state: State) -> StateDescription<StateName> { StateDescription(state) }

    public func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Self> {
        guard let wanted = wanted(state, event),
            delegate.shouldTransition(from: state, to: wanted)
        else { throw .noTransition }
        return enter(effect(from: state, to: wanted), wanted)
    }

    public func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Self> {
        enter(nil, name)
    }
}

/// The delegate of a `DelegateFlow`, which decides which state may follow which.
public protocol TransitionDelegate {
    associatedtype State: RawRepresentable<String>
    /// Returns whether `to` may follow `from`. It must not have side effects, because the machine may call it
    /// at any time.
    func shouldTransition(from: State, to: State) -> Bool
    /// Called after the transition from `from` to `to`. Events that it sends are posted.
    func didTransition(from: State, to: State)
}

extension TransitionDelegate {
    public func didTransition(from: State, to: State) {}
}

/// A hook that calls the delegate after a transition. An operator's order is not a transition of the flow and
/// is not reported.
private final class DidTransition<Delegate: TransitionDelegate>: Hook {
    let name = "didTransition"
    private let delegate: Delegate

    init(_ delegate: Delegate) { self.delegate = delegate }

    func after(_ step: Step, at now: Instant) {
        guard step.kind == .enter,
            let from = step.from.flatMap({ Delegate.State(rawValue: $0.state) }),
            let to = step.to.flatMap({ Delegate.State(rawValue: $0.state) })
        else { return }
        delegate.didTransition(from: from, to: to)
    }
}
