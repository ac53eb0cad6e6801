import GameFlow
import Timers

/// A flow that ends after four right codes. From each sample of its data, the end is more than one event away. So an analysis
/// reaches the end only if it tries sequences of events.
struct Locks: ValueFlow {
    var name: String { "locks" }
    var initial: StateName { .playing }
    var finals: [StateName] { [.escaped] }

    enum StateName: String, CaseIterable { case playing, escaped }
    enum State {
        case playing(solved: Int)
        case escaped(solved: Int)
    }
    enum Event: FlowEvent {
        typealias Effect = Locks.Effect
        case solve(code: String)
        case due(Signal)
    }
    enum Signal: UInt8, CaseIterable { case over }
    enum Effect: String, FlowEffect { case open }

    /// The largest number of solved locks that `entering` accepts.
    var maximumSolved = 4

    var events: [EventSchema<Event>] {
        [EventSchema(Event.solve, secretSamples: ["NORTH", "1911"])]
    }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Locks> {
        switch (state, event) {
        case (.playing(let solved), .solve(let code)) where (code == "NORTH") == (solved % 2 == 0):
            solved < 3
                ? keep(.open, .playing(solved: solved + 1)) : enter(.open, .escaped(solved: 4))
        case (.playing, .due(.over)): enter(.playing(solved: 0))
        default: throw .noTransition
        }
    }

    func timers(_ state: State) -> [TimerDeclaration<Signal>] {
        guard case .playing = state else { return [] }
        return [.countdown(.minutes(60), sends: .over)]
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .playing(let solved): StateDescription(.playing, [Member("solved", solved)])
        case .escaped(let solved): StateDescription(.escaped, [Member("solved", solved)])
        }
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Locks> {
        let solved: Int = try data.optional("solved") ?? 0
        guard 0...maximumSolved ~= solved else {
            throw .invalid("solved", "not within 0…\(maximumSolved)")
        }
        return switch name {
        case .playing: enter(.playing(solved: solved))
        case .escaped: enter(.escaped(solved: solved))
        }
    }
}
