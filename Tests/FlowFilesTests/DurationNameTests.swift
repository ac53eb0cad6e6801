import FlowAnalysis
import GameFlow
import Testing
import Timers

@testable import FlowFiles

/// Durations that people write as in a flow file: `left=90s` for `leftMs`.
@Suite struct DurationNameTests {
    private static let text = """
        flow: f
        start: a
        events: {go: {left: duration}}
        data: {all: duration = 1s}
        states:
          a: {on: {go: {to: b, with: {left: =event.left}}}}
          b: {data: {left: duration}, on: {go: stay}}
        """

    @Test(arguments: [Member("left", "90s"), Member("leftMs", 90_000)])
    func `an event's arguments have both names`(_ argument: Member) throws {
        let flow = try flowFile(Self.text).flow
        let fields = try flow.schema(of: flow.event("go")).parameters
        let arguments = [argument].namingDurations(in: fields) ?? [argument]
        #expect(arguments == [Member("leftMs", 90_000)])
    }

    @Test(arguments: [
        [Member("left", "soon")], [Member("left", "90")], [Member("left", "")], [Member("left", 5)],
        [Member("right", "90s")], [Member("left", "90s"), Member("leftMs", 5)],
    ])
    func `another argument keeps its name`(_ arguments: [Member]) throws {
        let flow = try flowFile(Self.text).flow
        let fields = try flow.schema(of: flow.event("go")).parameters
        #expect(arguments.namingDurations(in: fields) == nil)
    }

    @Test func `a command takes both names of the data, those of the flow too`() throws {
        let flow = try flowFile(Self.text).flow
        let machine = flow.machine(
            on: VirtualClock().timerQueue, EventQueue(), observer: nil)
        try machine.open("b", [Member("left", "5s"), Member("all", "2s")], from: .program)
        #expect(machine.place.data == [Member("leftMs", 5000), Member("allMs", 2000)])
        try machine.goto("b", [Member("left", "6s"), Member("all", "3s")], from: .program)
        #expect(machine.place.data == [Member("leftMs", 6000), Member("allMs", 3000)])
    }

    @Test(arguments: [Member("left", "90s"), Member("leftMs", 90_000)])
    func `both names fit, so that an event with either waits for others`(_ argument: Member) throws
    {
        let flow = try flowFile(Self.text).flow
        #expect(flow.fits([argument], try flow.event("go")))
        #expect(!flow.fits([argument, Member("right", "90s")], try flow.event("go")))
    }

    @Test func `a scenario takes both names`() throws {
        let text = """
            flow f
            send go left=90s
            expect b left=90s
            expect b leftMs=90000
            goto b left=5s
            expect b left=5s

            scenario it opens in b
            open f state=b left=7s
            expect b leftMs=7000
            """
        let reader = ScenarioReader(
            Array(text.utf8), file: "f.scenario", flows: [try flowFile(Self.text).flow])
        #expect(reader.errors == [])
        for scenario in reader.scenarios { #expect(ScenarioRun(scenario).failure == nil) }
    }
}
