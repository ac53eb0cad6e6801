internal import Timers

/// A machine in a state, to be asked what would become of something.
final class Probe: MachineObserver {
    private let flow: AnyFlow
    private let state: String
    private let data: [Member]
    private let time = VirtualClock()
    private var machine: AnyMachine!
    private var step: Step?
    private var refusal: Reason?

    /// Nil where the state cannot be entered with those data.
    init?(_ flow: AnyFlow, _ state: String, _ data: [Member]) {
        (self.flow, self.state, self.data) = (flow, state, data)
        guard enter() else { return nil }
    }

    func did(_ step: consuming Step) { if self.step == nil { self.step = step } }
    func refused(_ event: EventRecord, _ source: Source, _ refusal: Reason) {
        self.refusal = refusal
    }

    var timers: [LiveTimer] { machine.liveTimers }
    var place: StateRecord { machine.place }

    /// Begins anew: what is asked next finds the state as if nothing had been asked before.
    private func enter() -> Bool {
        machine = flow.machine(
            on: time.timerQueue, EventQueue(dropsPosts: true), observer: self, isRehearsal: true)
        try? machine.open(state, data, from: .timer)
        defer { (step, refusal) = (nil, nil) }
        return step != nil
    }

    /// What an event leads to, with each of its samples.
    func ask(_ event: Int, _ samples: [[Member]]) -> [Answer] {
        samples.compactMap { arguments in
            guard enter() else { return nil }
            do throws(Reason) {
                try machine.send(EventIndex(index: event), arguments, from: .timer)
            } catch { return (arguments, .refused(error), nil) }
            return outcome.map { (arguments, $0, step?.to) }
        }
    }

    /// What becomes of an event, and where it leads; nil of one that is refused or deferred.
    typealias Answer = (arguments: [Member], outcome: FlowModel.Outcome, place: StateRecord?)

    /// What a signal leads to.
    func ask(tag: UInt8) -> [Answer] {
        machine.due(tag, missed: 0)
        if let refusal { return [([], .refused(refusal), nil)] }
        return outcome.map { [([], $0, step?.to)] } ?? []
    }

    /// Nil where nothing was told: nobody can say what came of it.
    private var outcome: FlowModel.Outcome? {
        guard let step else { return nil }
        let effects = step.effects.map(\.name)
        return switch step.kind {
        case .defer: .defers
        case .keep: .keeps(effects: effects)
        default: .enters(step.to?.state ?? state, effects: effects)
        }
    }
}
