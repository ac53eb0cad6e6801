import GameFlow
import Timers

/// A flow in several versions, for counterfactual replays: a lamp that goes out after a time-out.
struct Lamp: ReducerFlow {
    var name: String { "lamp" }
    var initial: StateName { .off }

    /// The time-out after which the lamp goes out.
    var limit = Duration.seconds(60)
    /// Whether `press` is accepted in the state `on`.
    var acceptsPressWhileOn = false
    /// Whether the version has the state `broken`, which no event leaves.
    var hasBroken = true

    enum StateName: String, CaseIterable, Sendable { case off, on, broken }
    typealias State = StateName

    enum Event: FlowEvent {
        typealias Effect = Lamp.Effect
        case press, hit
        case due(Signal)
    }

    enum Signal: UInt8, CaseIterable { case burnt }
    enum Effect: String, FlowEffect { case light }

    var events: [EventSchema<Event>] { [EventSchema(.press), EventSchema(.hit)] }

    func reduce(_ state: State, _ event: Event) -> State? {
        switch (state, event) {
        case (.off, .press): .on
        case (.on, .press): acceptsPressWhileOn ? .on : nil
        case (.on, .due(.burnt)): .off
        case (.off, .hit), (.on, .hit): hasBroken ? .broken : nil
        default: nil
        }
    }

    func effect(_ state: State, _ event: Event) -> Effect? {
        if case (.off, .press) = (state, event) { .light } else { nil }
    }

    func timers(_ state: State) -> [TimerDeclaration<Signal>] {
        state == .on ? [.countdown(limit, sends: .burnt)] : []
    }

    func describe(_ state: State) -> StateDescription<StateName> { StateDescription(state) }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Self> {
        guard name != .broken || hasBroken else { throw .unknownState }
        return enter(name)
    }
}
