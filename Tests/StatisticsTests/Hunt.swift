import GameFlow
import Timers

/// A small game: a hunt that is won with `find`, and lost after an hour in `search`.
struct Hunt: ReducerFlow {
    var name: String { "hunt" }
    var initial: StateName { .lobby }
    var finals: [StateName] { [.won, .lost] }

    enum StateName: String, CaseIterable, Sendable { case lobby, search, riddle, won, lost }
    typealias State = StateName

    var presentation: FlowPresentation {
        var presentation = FlowPresentation()
        presentation.flow.title = "The hunt"
        presentation.states["search"] = .init()
        presentation.states["search"]?.label.title = "In the wood"
        return presentation
    }

    enum Event: FlowEvent {
        typealias Effect = NoEffect
        case begin, ask, solve, find
        case due(Signal)
    }

    enum Signal: UInt8, CaseIterable { case timeIsUp }
    enum NoEffect: String, FlowEffect { case nothing }

    var events: [EventSchema<Event>] {
        [EventSchema(.begin), EventSchema(.ask), EventSchema(.solve), EventSchema(.find)]
    }

    func reduce(_ state: State, _ event: Event) -> State? {
        switch (state, event) {
        case (.lobby, .begin): .search
        case (.search, .ask): .riddle
        case (.riddle, .solve): .search
        case (.search, .find): .won
        case (.search, .due(.timeIsUp)): .lost
        default: nil
        }
    }

    func timers(_ state: State) -> [TimerDeclaration<Signal>] {
        state == .search ? [.countdown(.seconds(3600), sends: .timeIsUp)] : []
    }

    func describe(_ state: State) -> StateDescription<StateName> { StateDescription(state) }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Self> {
        enter(name)
    }
}
