import GameFlow
import Timers

/// A flow that may be changed: a lamp that goes out by itself after a while.
struct Lamp: ReducerFlow {
    var name: String { "lamp" }
    var initial: StateName { .off }

    /// How long it burns.
    var limit = Duration.seconds(60)
    /// Whether it may be lit once more while it burns.
    var takesAgain = false
    /// Whether there is an end to it.
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
        case (.on, .press): takesAgain ? .on : nil
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
        return enter(nil, name)
    }
}
