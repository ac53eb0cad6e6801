internal import Timers

/// A state as the survey of its flow found it.
public struct FlowModel {
    public let state: String
    /// Its timers, as they are when it is entered.
    public let timers: [LiveTimer]
    /// What becomes in it of each event and each signal, in the flow's order.
    public let verdicts: [Verdict]

    /// What becomes of one event, with any of its samples, from any of the state's data.
    public struct Verdict {
        /// The event or the signal.
        public let on: String
        public let isSignal: Bool
        /// Each differs from the others.
        public let outcomes: [Outcome]
        /// The samples of its arguments that lead to each of the outcomes.
        let arguments: [[[Member]]]
        /// Whether clients may not be shown the samples.
        let hasSecretSamples: Bool

        /// The samples of its arguments, each once.
        public var samples: [[Member]] {
            arguments.reduce(into: []) { all, some in
                for sample in some where !all.contains(sample) { all.append(sample) }
            }
        }

        /// What becomes of it with one of its samples, from any of the state's data.
        public func outcomes(with sample: [Member]) -> [Outcome] {
            zip(outcomes, arguments).filter { $1.contains(sample) }.map(\.0)
        }

        /// The event, and the argument that makes the difference where one alone leads to that outcome:
        /// `judge correct=true`. Secret samples are left out.
        public func title(of index: Int) -> String {
            guard !hasSecretSamples, samples.count > 1, arguments[index].count == 1 else {
                return on
            }
            let words = arguments[index][0].map { "\($0.name)=\(Self.word($0.value))" }
            return ([on] + words).joined(separator: " ")
        }

        private static func word(_ value: Value) -> String {
            value.text ?? "\(value)"
        }

        /// Whether the state takes it, or keeps it for later.
        public var isAccepted: Bool {
            outcomes.contains { if case .refused = $0 { false } else { true } }
        }
    }

    public enum Outcome: Equatable {
        case enters(String, effects: [String])
        case keeps(effects: [String])
        case defers
        case refused(Reason)
    }

    /// A row of the flow's table: what is entered or kept.
    public typealias Transition = (on: String, to: String, effects: [String])

    /// The rows that begin here.
    public var transitions: [Transition] { rows(of: verdicts) }
    /// Those of them that can be taken: no timer of the state sends the others' signals.
    public var liveTransitions: [Transition] { rows(of: liveVerdicts) }

    private func rows(of verdicts: [Verdict]) -> [Transition] {
        verdicts.flatMap { verdict in
            verdict.outcomes.compactMap { outcome in
                switch outcome {
                case .enters(let to, let effects): (verdict.on, to, effects)
                case .keeps(let effects): (verdict.on, state, effects)
                case .defers, .refused: nil
                }
            }
        }
    }

    /// The state's timer that sends a signal.
    public func timer(_ fires: String) -> LiveTimer? { timers.first { $0.fires == fires } }

    /// What becomes of what can come: every event, and the signals that the state's own timers send.
    public var liveVerdicts: [Verdict] {
        verdicts.filter { !$0.isSignal || timer($0.on) != nil }
    }

    /// The events that wait here for another state.
    public var deferred: [String] {
        verdicts.filter { $0.outcomes.contains(.defers) }.map(\.on)
    }

    /// The states that are entered from here, each once.
    public var successors: [String] {
        var found: [String] = []
        for case .enters(let to, _) in liveVerdicts.flatMap(\.outcomes) where !found.contains(to) {
            found.append(to)
        }
        return found
    }
}

/// Finds out what a flow does by asking its real selector: every state is entered with samples of its
/// data, and with the data that it has where samples of the events lead from the flow's beginning, on a
/// virtual clock of its own; and every event and signal is tried in it.
///
/// So what clients are told is what happens, with those samples, in a state that was just entered. What
/// only other values bring about, or what is left of a timer, is not found; parameters' types offer
/// samples for that, and an event's form and a state's data may.
struct FlowSurvey {
    /// With how many places, a state and its data each, the walk from the flow's beginning ends. A flow
    /// that counts without end has no end of them.
    static let walkLimit = 128

    private let flow: AnyFlow

    init(_ flow: AnyFlow) { self.flow = flow }

    var states: [FlowModel] {
        let reached = walk()
        return flow.stateNames.map { state in
            let samples = flow.dataSamples(of: state)
            let others = reached.filter { $0.state == state }.map(\.data)
            return survey(state, samples + others.filter { !samples.contains($0) })
        }
    }

    /// The places that events and the states' own timers lead to, those with the fewest steps first.
    private func walk() -> [StateRecord] {
        var places: [StateRecord] = []
        var known: Set<StateRecord> = []
        func note(_ place: StateRecord?) {
            guard let place, places.count < Self.walkLimit, known.insert(place).inserted else {
                return
            }
            places.append(place)
        }
        note(Probe(flow, flow.initial, [])?.place)
        var next = 0
        while next < places.count, places.count < Self.walkLimit {
            let place = places[next]
            next += 1
            // A place that cannot be entered is lint's to report.
            guard let probe = Probe(flow, place.state, place.data) else { continue }
            let fired = Set(probe.timers.map(\.fires))
            for (index, event) in flow.events.enumerated() {
                for answer in probe.ask(index, event.samples) { note(answer.place) }
            }
            for (tag, signal) in flow.signals.enumerated() where fired.contains(signal) {
                note(Probe(flow, place.state, place.data)?.ask(tag: UInt8(tag)).first?.place)
            }
        }
        return places
    }

    private func survey(_ state: String, _ all: [[Member]]) -> FlowModel {
        let events = flow.events.enumerated().map { index, event in
            verdict(event.name, isSignal: false, all, isSecret: event.hasSecretSamples) {
                Probe(flow, state, $0)?.ask(index, event.samples) ?? []
            }
        }
        let signals = flow.signals.enumerated().map { tag, signal in
            verdict(signal, isSignal: true, all) {
                Probe(flow, state, $0)?.ask(tag: UInt8(tag)) ?? []
            }
        }
        return FlowModel(state: state, timers: timers(state, all), verdicts: events + signals)
    }

    private func verdict(
        _ on: String, isSignal: Bool, _ data: [[Member]], isSecret: Bool = false,
        _ ask: ([Member]) -> [Probe.Answer]
    ) -> FlowModel.Verdict {
        var outcomes: [FlowModel.Outcome] = []
        var arguments: [[[Member]]] = []
        for answer in data.flatMap(ask) {
            let place = outcomes.firstIndex(of: answer.outcome) ?? outcomes.endIndex
            if place == outcomes.endIndex {
                outcomes.append(answer.outcome)
                arguments.append([])
            }
            if !arguments[place].contains(answer.arguments) {
                arguments[place].append(answer.arguments)
            }
        }
        return FlowModel.Verdict(
            on: on, isSignal: isSignal, outcomes: outcomes, arguments: arguments,
            hasSecretSamples: isSecret)
    }

    /// The timers that any data bring, each signal's once.
    private func timers(_ state: String, _ data: [[Member]]) -> [LiveTimer] {
        var found: [LiveTimer] = []
        for timer in data.flatMap({ Probe(flow, state, $0)?.timers ?? [] })
        where !found.contains(where: { $0.fires == timer.fires }) {
            found.append(timer)
        }
        return found
    }
}
