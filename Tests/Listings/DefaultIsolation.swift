import GameFlow
import Timers

// block 1

nonisolated extension Door {
    enum State { case open, closed }
    typealias Effect = Door.Effects
    enum Effects: FlowEffect, Equatable, Sendable { case ring(times: Int) }
    enum Event: FlowEvent, Equatable, Sendable {
        typealias Effect = Door.Effects
        case knock
    }

    var events: [EventSchema<Event>] { EventSchema.plain(.knock) }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Door> {
        switch (state, event) {
        case (.closed, .knock): enter(.ring(times: 1)) { _ in .open }
        default: throw .noTransition
        }
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .open: .init(.open)
        case .closed: .init(.closed)
        }
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Door> {
        enter { _ in name == .open ? .open : .closed }
    }
}

@MainActor func show(_ effect: Door.Effects) {}

@MainActor func handle(_ machine: StateMachine<Door.State, Door.Event>) {
    // block 2
}
