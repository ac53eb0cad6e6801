import GameFlow
import ShippedFlows
import Testing
import Timers

/// A machine on an actor of its own.
private actor Room {
    // The clock is made on no actor, and belongs to the room from the first use on.
    private let clock = TaskClock(ContinuousClock(), isolation: nil)
    private lazy var game = StateMachine(Game(), on: clock)

    /// Sends 2000 events, and returns the number of timers that are left.
    func play() throws -> Int {
        for _ in 0..<1000 {
            try game.send(.displayHelp)
            try game.send(.dismissHelp)
        }
        return game.timers.count
    }
}

/// Machines on several actors, and many on one clock.
@Suite struct IsolationTests {
    @Test func `two machines on two actors do not disturb each other`() async throws {
        let (one, two) = (Room(), Room())
        async let first = one.play()
        async let second = two.play()
        #expect(try await first == 0)
        #expect(try await second == 0)
    }

    @Test @MainActor
    func `a thousand machines on one clock time out in the order of their creation`() async throws {
        let clock = TaskClock()
        var order: [Int] = []
        // The states and the events are integers: an event is the next state.
        var machines: [StateMachine<Int, Int>] = []
        for number in 0..<1000 {
            let machine = StateMachine<Int, Int>(
                initial: 0, on: clock, reduce: { state, event in event },
                hooks: [Hook(did: { _, _, _ in order.append(number) })])
            machine.timers { $0 == 0 ? [.countdown(.milliseconds(20), sends: 1)] : [] }
            machines.append(machine)
        }
        let last = try #require(machines.last)
        for await state in last.states where state == 1 { break }
        #expect(order == Array(0..<1000))
        #expect(machines.allSatisfy { $0.timers.isEmpty })
    }

    @Test func `an event that a flow refuses changes nothing`() throws {
        let flows: [any Flow] = [Game(), Startup(), Registration(), Onboarding(), Quiz()]
        for flow in flows { try expectRefusalsChangeNothing(of: flow) }
    }

    /// Sends every event in every state, with sample data and arguments. A refused event must not change the state, and the
    /// clock must have no timer after the machine has ended.
    private func expectRefusalsChangeNothing<F: Flow>(of flow: F) throws {
        let flowByName = AnyFlow(flow)
        for state in flowByName.stateNames {
            for data in flowByName.dataSamples(of: state).prefix(4) {
                for event in flowByName.events {
                    let clock = VirtualClock()
                    let machine = StateMachine(flow, on: clock)
                    try machine.goto(state, data, from: .program)
                    let before = machine.place
                    let sample = event.samples.first ?? []
                    do throws(Reason) {
                        try machine.send(flowByName.event(event.name), sample, from: .program)
                    } catch {
                        #expect(
                            machine.place == before, "\(flowByName.name) \(state) \(event.name)")
                    }
                    machine.end()
                    #expect(clock.pending.isEmpty, "\(flowByName.name) \(state) \(event.name)")
                }
            }
        }
    }
}
