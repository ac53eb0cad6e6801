import GameFlow
import Timers

/// A flow of two states. Each has a countdown, and a pendulum too if `hasPendulum` is true.
struct TwoStates: Flow {
    var name: String { "two" }
    var initial: StateName { .red }
    var events: [EventSchema<Event>] { [EventSchema(.go), EventSchema(.stop)] }

    let hasPendulum: Bool

    enum StateName: String, CaseIterable { case red, green }
    enum State {
        /// → green
        case red(Countdown, Pendulum?)
        /// → red
        case green(Countdown, Pendulum?)
    }
    enum Event: FlowEvent {
        case go, stop
        case due(Signal)
    }
    enum Signal: UInt8, CaseIterable { case over, beat }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<TwoStates> {
        switch (state, event) {
        case (.red, .go), (.red, .due(.over)): green()
        case (.green, .stop), (.green, .due(.over)): red()
        case (_, .due(.beat)): .keep
        default: throw .noTransition
        }
    }

    private func green() -> Transition<TwoStates> {
        enter { .green($0.countdown(.seconds(10), .over), pendulum($0)) }
    }

    private func red() -> Transition<TwoStates> {
        enter { .red($0.countdown(.seconds(10), .over), pendulum($0)) }
    }

    private func pendulum(_ entry: Entry<TwoStates>) -> Pendulum? {
        hasPendulum ? entry.pendulum(.seconds(1), .beat) : nil
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .red: StateDescription(.red)
        case .green: StateDescription(.green)
        }
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<TwoStates> {
        name == .red ? red() : green()
    }
}
