internal import Timers

/// A machine in a given state, which finds out the result of events and signals.
final class Probe: MachineObserver {
    private let flow: AnyFlow
    private let state: String
    private let data: [Member]
    private let time = VirtualClock()
    private var machine: AnyMachine!
    private var step: Step?
    private var refusal: Reason?

    /// Returns nil if the state cannot be entered with the data.
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

    /// Enters the state again, so that earlier events have no influence on the next one.
    private func enter() -> Bool {
        machine = flow.machine(
            on: time.timerQueue, EventQueue(dropsPosts: true), observer: self, isRehearsal: true)
        try? machine.open(state, data, from: .timer)
        defer { (step, refusal) = (nil, nil) }
        return step != nil
    }

    /// Returns the result of an event for each of its samples.
    func ask(_ event: Int, _ samples: [[Member]]) -> [Answer] {
        samples.compactMap { arguments in
            guard enter() else { return nil }
            do throws(Reason) {
                try machine.send(EventIndex(index: event), arguments, from: .timer)
            } catch { return (arguments, .refused(error), nil) }
            return outcome.map { (arguments, $0, step?.to) }
        }
    }

    /// The sample arguments of an event, its outcome, and the place that it leads to; the place is nil if the
    /// event is refused.
    typealias Answer = (arguments: [Member], outcome: FlowModel.Outcome, place: StateRecord?)

    /// Returns the result of a signal.
    func ask(tag: UInt8) -> [Answer] {
        machine.due(tag, missed: 0)
        if let refusal { return [([], .refused(refusal), nil)] }
        return outcome.map { [([], $0, step?.to)] } ?? []
    }

    /// The outcome of the last step; nil if the machine reported no step.
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
