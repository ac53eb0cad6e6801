import GameFlow
import Timers

/// A flow that ends after 201 events. An exploration reaches the end; the survey of the flow does not, because it visits only
/// 128 places.
struct DistantEnd: ValueFlow {
    var name: String { "far" }
    var initial: StateName { .counting }
    var finals: [StateName] { [.done] }

    enum StateName: String, CaseIterable { case counting, done }
    enum State {
        case counting(Int)
        case done
    }
    enum Event: FlowEvent {
        case count, stop
        case due(Signal)
    }
    enum Signal: UInt8, CaseIterable { case over }

    var events: [EventSchema<Event>] { [EventSchema(.count), EventSchema(.stop)] }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<DistantEnd> {
        switch (state, event) {
        case (.counting(200), .count): enter(.done)
        case (.counting(let number), .count): keep(nil, .counting(number + 1))
        case (.counting, .stop), (.counting, .due(.over)): enter(.counting(0))
        default: throw .noTransition
        }
    }

    func timers(_ state: State) -> [TimerDeclaration<Signal>] {
        guard case .counting = state else { return [] }
        return [.countdown(.seconds(1), sends: .over)]
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .counting(let number): StateDescription(.counting, [Member("number", number)])
        case .done: StateDescription(.done)
        }
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<DistantEnd> {
        switch name {
        case .counting:
            let number: Int = try data.optional("number") ?? 0
            return enter(.counting(number))
        case .done: return enter(.done)
        }
    }
}
