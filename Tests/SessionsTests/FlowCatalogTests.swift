import GameFlow
import Sessions
import Testing

/// A flow that counts how often an `AnyFlow` was made of it.
private struct CountedFlow: ReducerFlow {
    final class Counter { var count = 0 }

    let counter: Counter
    var label = "none"

    var name: String { "counted" }
    var initial: StateName { .first }
    enum StateName: String, CaseIterable, Sendable { case first }
    typealias State = StateName
    enum Event: FlowEvent {
        typealias Effect = CountedFlow.Effect
        case go
        case due(Signal)
    }
    enum Signal: UInt8, CaseIterable { case never }
    enum Effect: String, FlowEffect { case none }

    var settings: [FlowSetting<CountedFlow>] { [FlowSetting("label", \.label)] }
    // Read once for each `AnyFlow`.
    var events: [EventSchema<Event>] {
        counter.count += 1
        return [EventSchema(.go)]
    }
    func reduce(_ state: State, _ event: Event) -> State? { nil }
}

/// The flows of sessions, with their settings.
@Suite struct FlowCatalogTests {
    private let counter = CountedFlow.Counter()

    @Test func `sessions with the same recorded settings share a flow, which is made once`() throws
    {
        let catalog = FlowCatalog([.init(AnyFlow(CountedFlow(counter: counter)))])
        let before = counter.count
        let first = try catalog.flow(catalog.flows[0], with: [Member("label", "Owls")])
        let perFlow = counter.count - before
        for _ in 0..<100 {
            #expect(
                try catalog.flow(catalog.flows[0], with: first.changedSettings) === first)
        }
        #expect(counter.count - before == perFlow)
    }

    @Test func `a value of another type is refused, although a session has an empty text`() throws {
        let catalog = FlowCatalog([.init(AnyFlow(CountedFlow(counter: counter)))])
        let flow = try catalog.flow(catalog.flows[0], with: [Member("label", "")])
        #expect(throws: Reason.self) {
            try catalog.flow(catalog.flows[0], with: [Member("label", 5)])
        }
        withExtendedLifetime(flow) {}
    }

    @Test func `settings that differ only in their bytes are different settings`() throws {
        let catalog = FlowCatalog([.init(AnyFlow(CountedFlow(counter: counter)))])
        let composed = try catalog.flow(catalog.flows[0], with: [Member("label", "caf\u{e9}")])
        let decomposed = try catalog.flow(catalog.flows[0], with: [Member("label", "cafe\u{301}")])
        #expect(composed !== decomposed)
    }
}
