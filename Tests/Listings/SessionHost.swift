import GameFlow
import GameFlowHosting

nonisolated struct Checkout: ValueFlow {
    enum StateName: String, CaseIterable, Sendable { case filling, paid }
    typealias State = StateName
    enum Event: FlowEvent, Equatable, Sendable { case pay }

    var events: [EventSchema<Event>] { EventSchema.plain(.pay) }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Checkout> {
        guard state == .filling else { throw .noTransition }
        return enter(.paid)
    }
}

func serve(_ request: (id: String, price: Int)) async throws {
    // block 1
}
