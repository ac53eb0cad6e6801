public import GameFlow

extension AnyMachine {
    /// Observes the state of a machine of the flow `F`, by name and data.
    public func observe<F: Flow>(
        as flow: F.Type, _ call: @escaping (StateRecord) -> Void
    ) throws -> ObservationToken {
        guard let typed = self as? StateMachine<F.State, F.Event> else { throw OtherFlowError() }
        return typed.observe { [unowned typed] _, _ in call(typed.place) }
    }
}

/// The machine has another flow than the test expects.
public struct OtherFlowError: Error {}
