import GameFlow
import GameFlowHosting
import ShippedFlows

// What is used of a framework for servers.
nonisolated struct HTTPError: Error {
    enum Status { case conflict, serviceUnavailable }
    init(_ status: Status, message: String) {}
}
nonisolated struct Request: Sendable {
    enum Name { case idempotencyKey }
    var headers: [Name: String] = [:]
}
nonisolated struct Parameters: Sendable {
    func require(_ name: String) throws -> String { name }
}
nonisolated struct Context: Sendable { var parameters = Parameters() }
nonisolated struct Router: Sendable {
    func post(
        _ path: String, _ handler: @escaping @Sendable (Request, Context) async throws -> String
    ) {}
}

/// A flow with the event of the page.
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

func route(_ router: Router, _ host: SessionHost<Checkout>) {
    // block 2
}
