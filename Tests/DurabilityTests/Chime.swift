import GameFlow
import Timers

/// A flow with steps that are not changes: `tap` keeps the state without changing anything, the countdown
/// `over` is refused, a deferred `tap` is taken without a change, and a deferred `knock` is dropped.
struct Chime: ReducerFlow {
    var name: String { "chime" }
    var initial: StateName { .silent }

    enum StateName: String, CaseIterable, Sendable { case silent, ringing }
    typealias State = StateName

    enum Event: FlowEvent {
        typealias Effect = Chime.Effect
        case ring, stop, tap, knock
        case due(Signal)
    }

    enum Signal: UInt8, CaseIterable { case over }
    enum Effect: String, FlowEffect { case sound }

    var events: [EventSchema<Event>] {
        [EventSchema(.ring), EventSchema(.stop), EventSchema(.tap), EventSchema(.knock)]
    }

    func reduce(_ state: State, _ event: Event) -> State? {
        switch (state, event) {
        case (.silent, .ring): .ringing
        case (.ringing, .stop): .silent
        case (.silent, .tap): .silent
        default: nil
        }
    }

    func keeps(_ state: State, _ event: Event) -> Bool {
        if case .tap = event { true } else { false }
    }

    func defers(_ state: State, _ event: Event) -> Bool {
        switch (state, event) {
        case (.ringing, .tap), (.ringing, .knock): true
        default: false
        }
    }

    func effect(_ state: State, _ event: Event) -> Effect? {
        if case .ring = event { .sound } else { nil }
    }

    func timers(_ state: State) -> [TimerDeclaration<Signal>] {
        state == .ringing ? [.countdown(.seconds(20), sends: .over)] : []
    }

    func describe(_ state: State) -> StateDescription<StateName> { StateDescription(state) }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Self> {
        enter(name)
    }
}
