import GameFlow
import TestSupport
import Timers

/// A flow with timers of every kind, which a seed determines. Each state notes what it has heard, and one leads back.
struct EveryTimerFlow: Flow {
    var name: String { "timers" }
    var initial: StateName { .first }
    var statesWithBack: [StateName] { [.second] }
    enum StateName: String, CaseIterable { case first, second }
    struct State {
        var name: StateName
        var heard: String
    }
    enum Event: FlowEvent {
        case note, go, back
        case due(Signal)
    }
    enum Signal: UInt8, CaseIterable { case a, b, c, d, e, mark, deepMark }

    var events: [EventSchema<Event>] {
        [EventSchema(.note), EventSchema(.go), EventSchema(.back)]
    }

    private struct Timer {
        let kind: TimerKind
        let time: Duration
        let traits: TimerTraits
        let policy: AfterRestart
    }

    private let timers: [StateName: [Timer]]

    /// The timers have the policies `policies`.
    init(_ random: inout SeededRandom, policies: [AfterRestart]) {
        var timers: [StateName: [Timer]] = [:]
        for name in StateName.allCases {
            // The first timer is a countdown, because the marks need one.
            timers[name] = (0..<5).map { index in
                Timer(
                    kind: index == 0
                        ? .countdown : random.pick([.countdown, .pendulum, .stopwatch, .until]),
                    // Often the same, so that timers are due together.
                    time: .seconds(random.pick([4, 6, 6, 12])),
                    traits: random.pick([[], [], .overtime, .beginsPaused]),
                    policy: random.pick(policies))
            }
        }
        self.timers = timers
    }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Self> {
        switch (state.name, event) {
        case (.first, .go): enter(.second, heard: "")
        case (.second, .back): back()
        // Some firings change nothing.
        case (_, .due(.b)): .keep
        case (_, .due(let signal)): keep(nil, state.hearing("\(signal)"))
        case (_, .note): keep(nil, state.hearing("note"))
        default: throw .noTransition
        }
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        StateDescription(state.name, [Member("heard", state.heard)])
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Self> {
        enter(name, heard: try data.optional("heard") ?? "")
    }

    private func enter(_ name: StateName, heard: String) -> Transition<Self> {
        enter { entry in
            entry.flow.setTimers(of: name, in: entry)
            return State(name: name, heard: heard)
        }
    }

    private func setTimers(of name: StateName, in entry: Entry<Self>) {
        var countdown: Countdown?
        for (timer, signal) in zip(timers[name] ?? [], Signal.allCases) {
            switch timer.kind {
            case .countdown:
                let new = entry.countdown(
                    timer.time, signal, timer.traits, afterRestart: timer.policy)
                countdown = countdown ?? new
            case .pendulum:
                _ = entry.pendulum(timer.time, signal, timer.traits, afterRestart: timer.policy)
            case .stopwatch:
                _ = entry.stopwatch(signal, traits(timer), afterRestart: timer.policy)
            default:
                let second = Int(timer.time.milliseconds / 1000)
                _ = entry.until(
                    TimeOfDay(hour: 0, minute: 1, second: second), signal, traits(timer))
            }
        }
        entry.mark(left: .seconds(2), of: countdown, .a, .mark)
        if timers[name]?.first?.traits.contains(.overtime) == true {
            entry.mark(left: .seconds(-2), of: countdown, .a, .deepMark)
        }
    }

    private func traits(_ timer: Timer) -> TimerTraits { timer.traits.intersection(.beginsPaused) }
}

extension EveryTimerFlow.State {
    fileprivate func hearing(_ word: String) -> Self {
        Self(name: name, heard: heard.isEmpty ? word : "\(heard) \(word)")
    }
}
