import GameFlow
import GameFlowTesting
import Testing

/// A flow in which no session can begin.
private struct Unplayable: ValueFlow {
    enum StateName: String, CaseIterable { case a }
    typealias State = StateName
    enum Event: FlowEvent { case go }
    var initial: StateName { .a }
    var events: [EventSchema<Event>] { [EventSchema(.go)] }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Self> { .keep }
    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Self> {
        enter { _ throws(Reason) in throw .invalid("a", "no") }
    }
}

@Suite struct UnplayableFlowTests {
    @Test func `a search for races in a flow that cannot begin says so`() {
        let findings = Unplayable().races().map(\.description)
        #expect(findings.count == 1 && findings[0].contains("the flow has a mistake: "))
        #expect(Unplayable().races(allowingIncomplete: true).isEmpty)
        #expect(!Unplayable().lint().isEmpty)
    }
}
