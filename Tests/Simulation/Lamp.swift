import GameFlow
import Timers

/// A flow with timers that the shipped flows do not have:
/// - a countdown whose end changes nothing
/// - a timer that begins again after a restart of the daemon
/// - a timer that a restart of the daemon drops
/// - a pendulum that changes data
struct Lamp: Flow {
    var name: String { "lamp" }
    var initial: StateName { .dark }

    enum StateName: String, CaseIterable { case dark, lit }

    /// `→` lists the states that may follow.
    enum State {
        /// → lit
        case dark(Countdown)
        /// → dark
        case lit(beats: Int, Countdown, Countdown, Pendulum)  // goOut, fade, pulse
    }

    enum Event: FlowEvent {
        typealias Effect = Lamp.Effect
        case press, nap
        case due(Signal)
    }

    enum Signal: UInt8, CaseIterable { case nag, goOut, fade, pulse }
    enum Effect: String, FlowEffect { case click }

    var events: [EventSchema<Event>] {
        [EventSchema(.press), EventSchema(.nap)]
    }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Lamp> {
        switch (state, event) {
        case (.dark, .press): enter(.click) { light(0, $0) }
        case (.dark, .nap): .deferred
        case (.dark, .due(.nag)), (.lit, .due(.fade)): .keep
        case (.lit, .press), (.lit, .due(.goOut)): enter { dark($0) }
        case (.lit, .nap): .keep
        case (.lit(let beats, let out, let fade, let pulse), .due(.pulse)):
            // `nil`: without an effect.
            keep(nil, .lit(beats: beats + 1, out, fade, pulse))
        default: throw .noTransition
        }
    }

    private func dark(_ entry: Entry<Lamp>) -> State {
        .dark(entry.countdown(.seconds(3), .nag, afterRestart: .restart))
    }

    private func light(_ beats: Int, _ entry: Entry<Lamp>) -> State {
        .lit(
            beats: beats, entry.countdown(.seconds(40), .goOut, afterRestart: .remaining),
            entry.countdown(.seconds(7), .fade, afterRestart: .drop),
            entry.pendulum(.seconds(4), .pulse))
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .dark: StateDescription(.dark)
        case .lit(let beats, _, _, _): StateDescription(.lit, [Member("beats", beats)])
        }
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Lamp> {
        switch name {
        case .dark: return enter { dark($0) }
        case .lit:
            let beats: Int = try data("beats")
            return enter { light(beats, $0) }
        }
    }
}
