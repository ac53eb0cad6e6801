import GameFlow
import Timers

/// A flow that uses the features of the protocol `Flow` that the shipped flow `Game` does not use.
struct EveryCaseFlow: Flow {
    var name: String { "lab" }
    var initial: StateName { .idle }
    var finals: [StateName] { [.done] }

    enum StateName: String, CaseIterable { case idle, counting, first, second, third, busy, done }

    enum State {
        case idle
        /// Changes its data without a new entry, so its timers continue.
        case counting(Int, clock: Countdown, beat: Pendulum)
        case first(Countdown)
        case second(Countdown)
        case third(Countdown)
        /// Defers tasks.
        case busy(Countdown)
        case done
    }

    enum Event: FlowEvent {
        typealias Effect = EveryCaseFlow.Effect
        case count
        case bump(by: Int)
        case flash, peek, again, chain, work
        case task(name: String)
        case finish
        case fail, postTwice
        case both(a: Int, b: Bool)
        case due(Signal)
    }

    enum Signal: UInt8, CaseIterable { case over, beat, next, rested }

    enum Effect: FlowEffect {
        case light
        case started(String)
        var name: String { if case .light = self { "light" } else { "started" } }
        var arguments: [Member] {
            if case .started(let task) = self { [Member("task", task)] } else { [] }
        }
    }

    /// The states that `select` has received, and a state that `fail` created. The tests check that no timer of a state is live
    /// after the machine has left the state, or after `fail` has thrown.
    final class StateCopies { var states: [State] = [] }
    let copies = StateCopies()

    var events: [EventSchema<Event>] {
        [
            EventSchema(.count), EventSchema(Event.bump), EventSchema(.flash), EventSchema(.peek),
            EventSchema(.again), EventSchema(.chain), EventSchema(.work), EventSchema(Event.task),
            EventSchema(.finish), EventSchema(.fail), EventSchema(.postTwice),
            EventSchema(Event.both),
        ]
    }

    // swift-format-ignore: a table
    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<EveryCaseFlow> {
        copies.states.append(state)
        return switch (state, event) {
        case (.idle, .count): count(0)
        case (.idle, .both(let a, _)): count(a)
        case (.counting(let n, let clock, let beat), .bump(let by)):
            keep(nil, .counting(n + by, clock: clock, beat: beat))
        case (.counting, .flash): keep(.light)
        case (.counting, .peek): .keep
        case (.counting(let n, _, _), .again): count(n)
        case (.counting, .due(.beat)): .keep
        case (.counting, .due(.over)): enter { _ in .idle }
        case (.idle, .chain): enter { .first($0.countdown(.milliseconds(100), .next)) }
        case (.first, .due(.next)): enter { .second($0.countdown(.milliseconds(100), .next)) }
        case (.second, .due(.next)): enter { .third($0.countdown(.milliseconds(100), .next)) }
        case (.third, .due(.next)), (.first, .again): enter { _ in .idle }
        case (.idle, .work), (.counting, .work): busy(nil)
        case (.busy, .task): .deferred
        case (.busy, .due(.rested)): enter { _ in .idle }
        case (.idle, .task(let name)): busy(.started(name))
        case (.idle, .finish), (.busy, .finish), (.counting, .finish): enter { _ in .done }
        case (.idle, .fail), (.counting, .fail): fail()
        case (.idle, .postTwice): postTwice()
        default: throw .noTransition
        }
    }

    private func count(_ n: Int) -> Transition<EveryCaseFlow> {
        enter {
            .counting(
                n, clock: $0.countdown(.seconds(10), .over), beat: $0.pendulum(.seconds(1), .beat))
        }
    }

    private func busy(_ effect: Effect?) -> Transition<EveryCaseFlow> {
        enter(effect) { .busy($0.countdown(.seconds(5), .rested)) }
    }

    /// Creates two timers and posts an event, and then throws.
    private func fail() -> Transition<EveryCaseFlow> {
        enter { entry throws(Reason) in
            copies.states.append(.first(entry.countdown(.seconds(1), .next)))
            _ = entry.pendulum(.seconds(1), .beat)
            entry.post("count")
            throw .invalid("fail", "half-way")
        }
    }

    /// Enters a state and posts two events.
    private func postTwice() -> Transition<EveryCaseFlow> {
        enter {
            $0.post("bump", [Member("by", 5)])
            $0.post("chain")
            return .counting(
                1, clock: $0.countdown(.seconds(10), .over), beat: $0.pendulum(.seconds(1), .beat))
        }
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .idle: StateDescription(.idle)
        case .counting(let n, _, _): StateDescription(.counting, [Member("n", n)])
        case .first: StateDescription(.first)
        case .second: StateDescription(.second)
        case .third: StateDescription(.third)
        case .busy: StateDescription(.busy)
        case .done: StateDescription(.done)
        }
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<EveryCaseFlow>
    {
        switch name {
        case .idle: return enter { _ in .idle }
        case .counting: return count(try data("n"))
        case .first: return enter { .first($0.countdown(.milliseconds(100), .next)) }
        case .second: return enter { .second($0.countdown(.milliseconds(100), .next)) }
        case .third: return enter { .third($0.countdown(.milliseconds(100), .next)) }
        case .busy: return busy(.light)
        case .done: return enter { _ in .done }
        }
    }
}
