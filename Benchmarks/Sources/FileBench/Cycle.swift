import GameFlow
import Timers

/// Events that lead a flow back to the state in which they begin, sent by name with arguments.
struct Cycle {
    let flowName: String
    let start: (state: String, data: [Member])
    let events: [(name: String, arguments: [Member])]

    static let all = [
        Cycle(
            flowName: "game", start: ("choosingLevel", [Member("episode", 2)]),
            events: [
                ("chooseLevel", [Member("level", 3)]), ("pause", []), ("resume", []),
                ("completeLevel", [Member("score", 100)]), ("dismissFinishedLevel", []),
            ]),
        Cycle(
            flowName: "startup", start: ("ready", [Member("userID", "ann")]),
            events: [
                ("deepLink", [Member("link", "app://home")]), ("closeLink", []),
                ("syncRequested", []), ("syncAcknowledged", []),
            ]),
        Cycle(
            flowName: "registration", start: ("createProfile", []),
            events: [("next", []), ("back", []), ("next", []), ("back", [])]),
        Cycle(
            flowName: "onboarding", start: ("accountLoader", []),
            events: [("connectivityLost", []), ("connectivityRestored", [])]),
        Cycle(
            flowName: "quiz", start: ("lobby", []),
            events: [
                ("start", [Member("rounds", 2)]), ("buzz", [Member("player", "ann")]),
                ("judge", [Member("correct", false)]), ("buzz", [Member("player", "bob")]),
                ("judge", [Member("correct", true)]), ("proceed", []), ("abandon", []),
            ]),
    ]

    /// A machine of `flow` in the state `start`.
    func machine(of flow: AnyFlow, observer: StepObserver?) throws -> AnyMachine {
        let machine = flow.machine(on: VirtualClock().timerQueue, EventQueue(), observer: observer)
        try machine.open(start.state, start.data, from: Source(.program))
        return machine
    }

    /// Sends all events of the cycle once.
    func run(_ machine: AnyMachine) throws {
        let source = Source(.program)
        for event in events {
            try machine.send(machine.flow.event(event.name), event.arguments, from: source)
        }
    }
}

/// Stores the most recent step, as a session does.
final class StepObserver: MachineObserver {
    private var last: Step?

    func completed(_ step: consuming Step) { last = step }
    func refused(_ event: EventRecord, _ source: Source, _ refusal: Reason) {}
}
