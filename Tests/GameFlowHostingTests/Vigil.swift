import GameFlow
import Timers

/// A flow that notes which events it gets. Each state has a bell and, at the same instant but after the bell, a timer `last` of
/// another kind.
struct Vigil: Flow {
    var name: String { "vigil" }
    var initial: StateName { .countdown }
    var statesWithBack: [StateName] { [.away] }
    enum StateName: String, CaseIterable, Sendable {
        case countdown, overtime, alarm, pendulum, mark
        /// `last` changes nothing before a note, and begins again after a restart.
        case ignored
        /// Leads back to the state from which it was entered.
        case away
    }
    struct State: Equatable, Sendable {
        var kind: StateName
        var heard: String
    }
    enum Event: FlowEvent, Equatable, Sendable {
        case note, leave, comeBack
        case due(Signal)
    }
    enum Signal: UInt8, CaseIterable, Sendable { case bell, last, end }

    var events: [EventSchema<Event>] { EventSchema.plain(.note, .leave, .comeBack) }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Self> {
        if state.kind == .ignored, event == .due(.last), !state.heard.contains("note") {
            return .keep
        }
        let word: String
        switch event {
        case .note: word = "note"
        case .leave: return try entering(.away, Arguments([]))
        case .comeBack: return back()
        case .due(let signal): word = "\(signal)"
        }
        let heard = state.heard.isEmpty ? word : "\(state.heard) \(word)"
        return keep(nil, State(kind: state.kind, heard: heard))
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        StateDescription(state.kind, [Member("heard", state.heard)])
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Self> {
        let heard: String = try data.optional("heard") ?? ""
        return enter { entry in
            Self.setTimers(of: name, in: entry)
            return State(kind: name, heard: heard)
        }
    }

    /// The test's clock begins at 22:13:20.
    private static func setTimers(of kind: StateName, in entry: Entry<Self>) {
        if kind != .away { _ = entry.countdown(.seconds(10), .bell) }
        switch kind {
        case .countdown: _ = entry.countdown(.seconds(10), .last)
        case .overtime: _ = entry.countdown(.seconds(10), .last, .overtime)
        case .alarm: _ = entry.until(TimeOfDay(hour: 22, minute: 13, second: 30), .last)
        case .pendulum: _ = entry.pendulum(.seconds(10), .last)
        case .mark:
            let end = entry.countdown(.seconds(20), .end)
            entry.mark(left: .seconds(10), of: end, .end, .last)
        case .away: break
        case .ignored: _ = entry.countdown(.seconds(10), .last, afterRestart: .restart)
        }
    }
}
