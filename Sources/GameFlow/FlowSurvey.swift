internal import JSON
internal import Timers

/// A state as the survey of its flow found it.
public struct Surveyed {
    public let state: String
    public let timers: [LiveTimer]
    public let transitions: [(on: String, to: String, effects: [String])]
}

/// Finds out what a flow does by asking its real selector: every state is entered with samples of its
/// data, on a virtual clock of its own, and every event and signal is tried in it.
///
/// So what clients are told cannot differ from what happens. An event whose samples its validators
/// all refuse is not found; parameters' types offer samples for that.
struct FlowSurvey<F: Flow> {
    private let rules: F
    private let places: PlainPlaces<F>
    private let flow: AnyFlow

    init(_ rules: F, _ places: PlainPlaces<F>, _ flow: AnyFlow) {
        (self.rules, self.places, self.flow) = (rules, places, flow)
    }

    var states: [Surveyed] { F.StateName.allCases.map(survey) }

    private func survey(_ state: F.StateName) -> Surveyed {
        let probe = Probe(rules, places, flow)
        guard probe.put(state) else { preconditionFailure("\(state) cannot be entered") }
        let named = F.events.map { ($0.name, $0.samples) }
        let signals = F.Signal.allCases.map { ("\($0)", [F.Event.due($0)]) }
        let found = (named + signals).flatMap { name, samples in
            samples.compactMap { Probe(rules, places, flow).ask($0, name, in: state) }
        }
        var distinct: [(on: String, to: String, effects: [String])] = []
        for row in found
        where !distinct.contains(where: { $0.on == row.on && $0.to == row.to }) {
            distinct.append(row)
        }
        return Surveyed(
            state: state.rawValue, timers: probe.machine.timers, transitions: distinct)
    }

    private final class Probe: MachineObserver {
        private let time = VirtualTime()
        private(set) var machine: Machine<F>!
        private var last: Step?

        init(_ rules: F, _ places: PlainPlaces<F>, _ flow: AnyFlow) {
            machine = Machine(
                rules, places, flow, on: time.agenda, EventQueue(), observer: self)
        }

        func did(_ step: consuming Step) { last = step }
        func refused(_ event: Happening, _ source: Source, _ refusal: Refusal) {}

        /// Enters a state with samples of its data; whether it could.
        func put(_ state: F.StateName) -> Bool {
            let samples = Arguments(recordingTo: FieldRecorder())
            try? machine.put(state, samples, .open, .timer)
            return last != nil
        }

        /// What the event leads to; nil if the state refuses or defers it.
        func ask(_ event: F.Event, _ name: String, in state: F.StateName)
            -> (on: String, to: String, effects: [String])?
        {
            guard put(state) else { return nil }
            last = nil
            try? machine.take(event, Happening(name), .timer)
            guard let last, last.kind == .enter || last.kind == .keep else { return nil }
            return last.to.map { (name, $0.state, last.effect.map { [$0.name] } ?? []) }
        }
    }
}
