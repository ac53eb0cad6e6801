internal import JSON
internal import Timers

/// A machine in a state, to be asked what would become of something.
final class Probe: MachineObserver {
    private let flow: AnyFlow
    private let state: String
    private let data: [Member]
    private let time = VirtualTime()
    private var machine: AnyMachine!
    private var step: Step?
    private var refusal: Refusal?

    init(_ flow: AnyFlow, _ state: String, _ data: [Member]) {
        (self.flow, self.state, self.data) = (flow, state, data)
        enter()
    }

    func did(_ step: consuming Step) { if self.step == nil { self.step = step } }
    func refused(_ event: Happening, _ source: Source, _ refusal: Refusal) {
        self.refusal = refusal
    }

    var timers: [LiveTimer] { machine.timers }

    /// Begins anew: what is asked next finds the state as if nothing had been asked before.
    private func enter() {
        machine = flow.machine(on: time.agenda, EventQueue(), observer: self, isRehearsal: true)
        try? machine.open(state, data, from: .timer)
        precondition(step != nil, "\(flow.name).\(state) cannot be entered")
        (step, refusal) = (nil, nil)
    }

    /// What an event leads to, with each of its samples.
    func ask(_ event: Int, _ samples: [[Member]]) -> [Surveyed.Outcome] {
        samples.map { arguments in
            enter()
            do throws(Refusal) {
                try machine.send(EventIndex(index: event), arguments, from: .timer)
            } catch { return .refused(error) }
            return outcome
        }
    }

    /// What a signal leads to.
    func ask(tag: UInt8) -> [Surveyed.Outcome] {
        machine.due(tag, missed: 0)
        return [refusal.map { .refused($0) } ?? outcome]
    }

    private var outcome: Surveyed.Outcome {
        guard let step else { preconditionFailure("what is taken is told") }
        let effects = step.effect.map { [$0.name] } ?? []
        return switch step.kind {
        case .defer: .defers
        case .keep: .keeps(effects: effects)
        default: .enters(step.to?.state ?? state, effects: effects)
        }
    }
}
