import GameFlow
import TestSupport
import Testing
import Timers

/// Compares a flow with its `NaiveModel`.
struct FlowCheck {
    let flow: AnyFlow
    let table: NaiveModel.Table

    init(_ rules: some Flow, _ table: NaiveModel.Table) {
        (flow, self.table) = (AnyFlow(rules), table)
    }

    /// Compares the names of states, events and signals, and their order.
    func expectNames(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(flow.stateNames == table.states, sourceLocation: sourceLocation)
        #expect(flow.events.map(\.name) == table.events, sourceLocation: sourceLocation)
        #expect(flow.signals == table.signals, sourceLocation: sourceLocation)
        #expect(flow.finals == table.finals, sourceLocation: sourceLocation)
        #expect(flow.initial == table.states[0], sourceLocation: sourceLocation)
    }

    /// Sends each event and each signal in each state. Expects that the machine accepts, defers or refuses it as the model
    /// does, and that a refusal changes nothing.
    func expectAllPairs(sourceLocation: SourceLocation = #_sourceLocation) throws {
        for state in table.states {
            for event in table.events { try expect(state, event, sourceLocation) }
            for signal in table.signals { try expect(state, signal: signal, sourceLocation) }
        }
    }

    private func expect(_ state: String, _ event: String, _ location: SourceLocation) throws {
        let fixture = try openedFixture(in: state)
        fixture.time.advance(by: .milliseconds(500))
        let row = table.row(state, event)
        let isDeferred = row == nil && table.deferred[event] != nil && !table.finals.contains(state)
        let pair = "\(state), \(event)"
        #expect(
            fixture.machine.accepts.contains(event) == (row != nil || isDeferred), "\(pair)",
            sourceLocation: location)
        let before = fixture.summary
        var model = NaiveModel(table, in: state)
        model.pass(500)
        let arguments = table.goodArguments[event] ?? []
        let refusal = fixture.refusal(event, arguments)
        #expect(refusal?.name == model.take(event, arguments), "\(pair)", sourceLocation: location)
        expect(fixture, model, "\(pair)", location)
        if refusal != nil {
            #expect(fixture.summary == before, "\(pair)", sourceLocation: location)
        }
        fixture.expectOnlyItsOwnTimers()
    }

    /// Expects that a signal from a client is refused, and that a signal from the state's timer does what its row says.
    private func expect(_ state: String, signal: String, _ location: SourceLocation) throws {
        let fixture = try openedFixture(in: state)
        let before = fixture.summary
        #expect(fixture.refusal(signal) == .forbidden, sourceLocation: location)
        #expect(fixture.summary == before, sourceLocation: location)
        var model = NaiveModel(table, in: state)
        let timer = model.timers.first { $0.fires == signal }
        #expect(
            (timer != nil) == (table.row(state, signal) != nil), "\(state), \(signal)",
            sourceLocation: location)
        if let timer {
            fixture.time.advance(by: .milliseconds(Int64(timer.left)))
            model.pass(timer.left)
            expect(fixture, model, "\(state), \(signal)", location)
        }
        fixture.expectOnlyItsOwnTimers()
    }

    /// Compares the machine with the model.
    private func expect(
        _ fixture: MachineFixture, _ model: NaiveModel, _ comment: Comment,
        _ location: SourceLocation
    ) {
        #expect(fixture.state == model.state, comment, sourceLocation: location)
        #expect(fixture.data == model.data, comment, sourceLocation: location)
        #expect(fixture.timers == model.timerTexts, comment, sourceLocation: location)
        #expect(fixture.beats == model.beats, comment, sourceLocation: location)
        #expect(
            fixture.machine.deferredCount == model.waiting.count, comment, sourceLocation: location)
        #expect(
            fixture.steps.flatMap { $0.effects.map(\.name) } == model.effects, comment,
            sourceLocation: location)
    }

    /// A machine in the state `state`. A machine cannot be opened in a final state, so it enters a final state by `goto`.
    private func openedFixture(in state: String) throws -> MachineFixture {
        guard table.finals.contains(state) else {
            return try MachineFixture(flow, state, table.data[state] ?? [])
        }
        let fixture = try MachineFixture(flow)
        try fixture.machine.goto(state, table.data[state] ?? [], from: .tester)
        return fixture
    }

    /// Opens each state, and compares its data and timers.
    func expectOpenings(sourceLocation: SourceLocation = #_sourceLocation) throws {
        for state in table.states {
            let fixture = try openedFixture(in: state)
            let timers = (table.timers[state] ?? []).map { "\($0.fires) \($0.total)/\($0.total)" }
            #expect(fixture.state == state, sourceLocation: sourceLocation)
            #expect(fixture.data == table.data[state] ?? [], sourceLocation: sourceLocation)
            #expect(fixture.timers == timers, sourceLocation: sourceLocation)
            #expect(fixture.steps.last?.effects == [], sourceLocation: sourceLocation)
            fixture.expectOnlyItsOwnTimers()
        }
    }

    /// Makes random steps: each sends an event, or lets one of the times in `waits`, in milliseconds, pass. Compares the
    /// machine with the model after each step.
    func expectWalk(_ seed: UInt64, steps: Int = 100, waits: [Int]) throws {
        var random = SeededRandom(seed)
        var fixture = try MachineFixture(flow)
        var model = NaiveModel(table)
        for step in 0..<steps {
            if table.finals.contains(model.state), random.below(4) == 0 {
                fixture.expectOnlyItsOwnTimers()
                (fixture, model) = (try MachineFixture(flow), NaiveModel(table))
            } else if random.below(4) == 0 {
                let ms = random.pick(waits)
                fixture.time.advance(by: .milliseconds(Int64(ms)))
                model.pass(ms)
            } else {
                let accepted = table.events.filter { table.row(model.state, $0) != nil }
                let event = random.pick(
                    accepted.isEmpty || random.below(4) == 0 ? table.events : accepted)
                let arguments = table.arguments(event, &random)
                let before = fixture.summary
                let refusal = fixture.refusal(event, arguments)
                let expected = model.take(event, arguments)
                #expect(refusal?.name == expected, "seed \(seed), step \(step), \(event)")
                if expected != nil {
                    #expect(fixture.summary == before, "seed \(seed), step \(step)")
                }
            }
            expect(fixture, model, "seed \(seed), step \(step)", #_sourceLocation)
            // After a difference all later steps would fail, too.
            if fixture.state != model.state { return }
        }
        fixture.expectOnlyItsOwnTimers()
    }
}
