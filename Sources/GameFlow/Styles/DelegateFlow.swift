internal import Timers

/// A flow whose events name the state that is wanted, and whose delegate says whether it may follow.
///
/// See `Permissions` for one.
public protocol DelegateFlow: ValueFlow where State == StateName {
    associatedtype Delegate: TransitionDelegate where Delegate.State == State
    /// Who is asked, and told.
    var delegate: Delegate { get }
    /// The state that the event asks for; nil where it asks for none.
    func wanted(_ state: State, _ event: Event) -> State?
    /// What the transition asks the outside to do.
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

/// Whoever says which state may follow which.
public protocol TransitionDelegate {
    associatedtype State: RawRepresentable<String>
    /// Whether `to` may follow `from`. Pure: it may be asked at any time.
    func shouldTransition(from: State, to: State) -> Bool
    /// `to` has followed `from`. What is sent from here is posted.
    func didTransition(from: State, to: State)
}

extension TransitionDelegate {
    public func didTransition(from: State, to: State) {}
}

/// Tells a delegate what was done; an operator's override is no transition of the flow's.
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
