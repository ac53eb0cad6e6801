import GameFlow
import Sessions
import Testing
import Timers

/// A flow that has the text of a flow file. A journal of its sessions must contain that text.
private struct FlowWithText: ReducerFlow {
    var name: String { "written" }
    var initial: StateName { .first }
    var source: FlowSource? { FlowSource(version: "1", text: Array("flow: written".utf8)) }
    enum StateName: String, CaseIterable, Sendable { case first }
    typealias State = StateName
    enum Event: FlowEvent {
        typealias Effect = FlowWithText.Effect
        case go
        case due(Signal)
    }
    enum Signal: UInt8, CaseIterable { case never }
    enum Effect: String, FlowEffect { case none }

    var events: [EventSchema<Event>] { [EventSchema(.go)] }
    func reduce(_ state: State, _ event: Event) -> State? { nil }
}

/// The texts of flows in journals.
@Suite struct FlowTextTests {
    @Test func `each of several journals gets the text of a flow file once`() throws {
        let catalog = FlowCatalog([.init(AnyFlow(FlowWithText()))])
        var textCounts = [0, 0]
        let journals = (0..<2).map { _ in Sessions(catalog, on: VirtualClock()) }
        for (number, sessions) in journals.enumerated() {
            var rowCount = 0
            sessions.recorder = { record, previous in
                if case .flowText = record.body { textCounts[number] += 1 }
                rowCount += 1
                return JournalPosition(position: rowCount, checksum: 0)
            }
            for name in ["a", "b"] {
                _ = try sessions.open(
                    SessionName(name)!, catalog.flows[0], RequestContext(from: .program))
            }
        }
        #expect(textCounts == [1, 1])
        for sessions in journals {
            for session in sessions.list(limit: 10).sessions { session.machine.end() }
        }
    }
}
