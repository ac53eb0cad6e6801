internal import Timers

/// A state as found by the survey of its flow.
public struct StateSurvey {
    /// The state's name.
    public let state: String
    /// The state's timers directly after entry.
    public let timers: [LiveTimer]
    /// The result of each event and each signal in this state, in the flow's order.
    public let results: [EventResult]

    /// The possible results of one event or signal in a state, over all samples of the event and all sample data of the state.
    public struct EventResult {
        /// The name of the event or signal that is handled.
        public let on: String
        public let isSignal: Bool
        /// The distinct outcomes.
        public let outcomes: [Outcome]
        /// The sample arguments that lead to each outcome, at the index of the outcome in `outcomes`.
        let argumentsOfOutcomes: [[[Member]]]
        /// Whether the samples are solutions that players have to find. Such samples are hidden from clients.
        let hasSecretSamples: Bool

        /// The distinct sample arguments of all outcomes.
        public var samples: [[Member]] {
            argumentsOfOutcomes.reduce(into: []) { distinctSamples, samples in
                for sample in samples where !distinctSamples.contains(sample) {
                    distinctSamples.append(sample)
                }
            }
        }

        /// Returns the outcomes for one sample, over all of the state's data.
        public func outcomes(with sample: [Member]) -> [Outcome] {
            zip(outcomes, argumentsOfOutcomes).filter { $1.contains(sample) }.map(\.0)
        }

        /// Returns the event's name. If the event has several samples and only one of them leads to the outcome at `index`, its
        /// arguments follow the name: `judge correct=true`. Secret samples are left out.
        public func title(ofOutcomeAt index: Int) -> String {
            let arguments = argumentsOfOutcomes[index]
            guard !hasSecretSamples, samples.count > 1, arguments.count == 1 else { return on }
            let words = arguments[0].map { "\($0.name)=\(Self.word($0.value))" }
            return ([on] + words).joined(separator: " ")
        }

        /// Returns a value as it is shown in a title: a text without quotes, and other values as JSON.
        private static func word(_ value: Value) -> String {
            value.text ?? "\(value)"
        }

        /// Whether the state takes or defers the event for any sample.
        public var isAccepted: Bool { outcomes.contains { !$0.isRefused } }
    }

    /// What a state does with an event or a signal.
    public enum Outcome: Equatable {
        /// A state with this name is entered, and effects with these names are requested.
        case enters(String, effects: [String])
        /// The state stays, perhaps with other data, and effects with these names are requested.
        case keeps(effects: [String])
        case defers
        case refused(Reason)

        var isRefused: Bool { if case .refused = self { true } else { false } }
    }

    /// A possible result of an event or a signal. `on` is the name of the event or signal, `to` is the state that is entered or
    /// kept, and `effects` are the names of the requested effects.
    public typealias ObservedTransition = (on: String, to: String, effects: [String])

    /// The transitions from this state, including transitions by signals that no timer of the state sends.
    public var transitions: [ObservedTransition] { transitions(of: results) }
    /// The transitions of events, and of the signals that the state's own timers send.
    public var possibleTransitions: [ObservedTransition] { transitions(of: possibleResults) }

    private func transitions(of results: [EventResult]) -> [ObservedTransition] {
        results.flatMap { result in
            result.outcomes.compactMap { outcome in
                switch outcome {
                case .enters(let to, let effects): (result.on, to, effects)
                case .keeps(let effects): (result.on, state, effects)
                case .defers, .refused: nil
                }
            }
        }
    }

    /// Returns the timer of this state that sends the signal `signal`; nil if the state has no such timer.
    public func timer(_ signal: String) -> LiveTimer? { timers.first { $0.fires == signal } }

    /// The results of every event, and of the signals that the state's own timers send.
    public var possibleResults: [EventResult] {
        results.filter { !$0.isSignal || timer($0.on) != nil }
    }

    /// The events that this state defers for some arguments.
    public var deferred: [String] {
        results.filter { $0.outcomes.contains(.defers) }.map(\.on)
    }

    /// The distinct states that can be entered from this state.
    public var successors: [String] {
        var found: [String] = []
        for case .enters(let to, _) in possibleResults.flatMap(\.outcomes) where !found.contains(to)
        {
            found.append(to)
        }
        return found
    }
}

/// Builds a model of a flow by calling the flow's selector. It enters each state on a virtual clock, and tries each event and
/// each signal there. Each state is entered with the samples of its data. It is also entered with other data: those that it
/// gets when sample events and timers lead from the initial state to it.
///
/// The model shows only the outcomes with these samples in a state that was just entered. Outcomes with other values, or
/// after a part of a timer's time, may differ. Parameter types, event schemas and a state's data may declare further
/// samples.
struct FlowSurvey {
    /// The maximum number of places (a place is a state with its data) that the walk from the initial state visits.
    /// Without a limit, the walk through a flow that counts in its data would never end.
    static let walkLimit = 128

    private let flow: AnyFlow

    init(_ flow: AnyFlow) { self.flow = flow }

    /// The survey of each state, in the flow's order.
    var states: [StateSurvey] {
        let places = reachablePlaces()
        return flow.stateNames.map { state in
            let samples = flow.dataSamples(of: state)
            let reachedData = places.filter { $0.state == state }.map(\.data)
            return survey(state, samples + reachedData.filter { !samples.contains($0) })
        }
    }

    /// The signals that every state refuses, in the flow's order. A daemon looks for them at each start. Therefore the long
    /// walk from the initial state is made only if some signal is refused in every state that is entered with sample data.
    var unhandledSignals: [String] {
        let samples = flow.stateNames.flatMap { state in
            flow.dataSamples(of: state).map { StateRecord(state, $0) }
        }
        // A signal's tag is its raw value, by which a machine handles it.
        var signals = zip(flow.signalTags, flow.signals).map { (tag: $0, name: $1) }
        for findPlaces in [{ samples }, reachablePlaces] where !signals.isEmpty {
            let places = findPlaces()
            signals.removeAll { tag, _ in places.contains { accepts(signal: tag, in: $0) } }
        }
        return signals.map(\.name)
    }

    /// Whether a state takes or defers a signal; false if the state cannot be entered.
    private func accepts(signal tag: UInt8, in place: StateRecord) -> Bool {
        guard let answers = Probe(flow, place.state, place.data)?.answers(toSignal: tag) else {
            return false
        }
        return answers.contains { !$0.outcome.isRefused }
    }

    /// Returns the places that events and the states' own timers lead to from the initial state, the nearest first.
    private func reachablePlaces() -> [StateRecord] {
        var places: [StateRecord] = []
        var knownPlaces: Set<StateRecord> = []
        /// Adds a place that was not reached before, up to the limit.
        func addNew(_ place: StateRecord?) {
            guard let place, places.count < Self.walkLimit, knownPlaces.insert(place).inserted
            else { return }
            places.append(place)
        }
        addNew(Probe(flow, flow.initial, [])?.place)
        var index = 0
        while index < places.count, places.count < Self.walkLimit {
            let place = places[index]
            index += 1
            // `FlowMistakes` reports a place that cannot be entered.
            guard let probe = Probe(flow, place.state, place.data) else { continue }
            let timerSignals = Set(probe.timers.map(\.fires))
            for (eventIndex, event) in flow.events.enumerated() {
                for answer in probe.answers(toEvent: eventIndex, event.samples) {
                    addNew(answer.place)
                }
            }
            for (tag, signal) in zip(flow.signalTags, flow.signals)
            where timerSignals.contains(signal) {
                // Each signal needs a new probe; see `answers(toSignal:)`.
                let signalProbe = Probe(flow, place.state, place.data)
                addNew(signalProbe?.answers(toSignal: tag).first?.place)
            }
        }
        return places
    }

    /// Surveys a state with each of its sample data.
    private func survey(_ state: String, _ data: [[Member]]) -> StateSurvey {
        let events = flow.events.enumerated().map { index, event in
            result(event.name, isSignal: false, data, isSecret: event.hasSecretSamples) {
                Probe(flow, state, $0)?.answers(toEvent: index, event.samples) ?? []
            }
        }
        let signals = zip(flow.signalTags, flow.signals).map { tag, signal in
            result(signal, isSignal: true, data) {
                Probe(flow, state, $0)?.answers(toSignal: tag) ?? []
            }
        }
        return StateSurvey(state: state, timers: timers(state, data), results: events + signals)
    }

    /// Collects the distinct outcomes of one event or signal. `answers` tries it in the state with one of the sample data.
    private func result(
        _ on: String, isSignal: Bool, _ data: [[Member]], isSecret: Bool = false,
        _ answers: ([Member]) -> [Probe.Answer]
    ) -> StateSurvey.EventResult {
        var outcomes: [StateSurvey.Outcome] = []
        var argumentsOfOutcomes: [[[Member]]] = []
        for answer in data.flatMap(answers) {
            let index = outcomes.firstIndex(of: answer.outcome) ?? outcomes.endIndex
            if index == outcomes.endIndex {
                outcomes.append(answer.outcome)
                argumentsOfOutcomes.append([])
            }
            if !argumentsOfOutcomes[index].contains(answer.arguments) {
                argumentsOfOutcomes[index].append(answer.arguments)
            }
        }
        return StateSurvey.EventResult(
            on: on, isSignal: isSignal, outcomes: outcomes,
            argumentsOfOutcomes: argumentsOfOutcomes, hasSecretSamples: isSecret)
    }

    /// Returns the timers that the state has with any of the data, one for each signal.
    private func timers(_ state: String, _ data: [[Member]]) -> [LiveTimer] {
        var found: [LiveTimer] = []
        for timer in data.flatMap({ Probe(flow, state, $0)?.timers ?? [] })
        where !found.contains(where: { $0.fires == timer.fires }) {
            found.append(timer)
        }
        return found
    }
}

/// Finds out the results of events and signals in a given state, by sending them to a machine in that state.
final class Probe: MachineObserver {
    private let flow: AnyFlow
    private let state: String
    private let data: [Member]
    private let clock = VirtualClock()
    private var machine: AnyMachine!
    /// The first step since the state was entered; nil before it.
    private var step: Step?
    /// The most recent refusal since the state was entered; nil if there was none.
    private var refusal: Reason?

    /// Enters the state. Returns nil if it cannot be entered with the data.
    init?(_ flow: AnyFlow, _ state: String, _ data: [Member]) {
        (self.flow, self.state, self.data) = (flow, state, data)
        guard enter() else { return nil }
    }

    func completed(_ step: consuming Step) { if self.step == nil { self.step = step } }
    func refused(_ event: EventRecord, _ source: Source, _ refusal: Reason) {
        self.refusal = refusal
    }

    var timers: [LiveTimer] { machine.liveTimers }
    var place: StateRecord { machine.place }

    /// Enters the state with a new machine, so that earlier events have no influence on the next event. Returns whether the
    /// state could be entered.
    private func enter() -> Bool {
        machine = flow.machine(
            on: clock.timerQueue, EventQueue(dropsPostedEvents: true), observer: self,
            isDryRun: true)
        // The sender makes no difference, because nothing is recorded.
        try? machine.open(state, data, from: .timer)
        // The step that opened the machine is not a result.
        defer { (step, refusal) = (nil, nil) }
        return step != nil
    }

    /// Returns the result of the event at `index` in the flow's list of events, for each of its samples.
    func answers(toEvent index: Int, _ samples: [[Member]]) -> [Answer] {
        samples.compactMap { arguments in
            guard enter() else { return nil }
            do throws(Reason) {
                try machine.send(EventIndex(index: index), arguments, from: .timer)
            } catch { return (arguments, .refused(error), nil) }
            return outcome.map { (arguments, $0, step?.to) }
        }
    }

    /// The result of an event with one sample: the sample arguments, the outcome, and the place to which the event leads. The
    /// place is nil if the event is refused.
    typealias Answer = (arguments: [Member], outcome: StateSurvey.Outcome, place: StateRecord?)

    /// Returns the result of a signal; empty if the machine reports neither a step nor a refusal. This method does not enter
    /// the state again, so each signal needs a new probe.
    func answers(toSignal tag: UInt8) -> [Answer] {
        machine.fireNow(tag)
        if let refusal { return [([], .refused(refusal), nil)] }
        return outcome.map { [([], $0, step?.to)] } ?? []
    }

    /// The outcome of the first step since the state was entered; nil before that step.
    private var outcome: StateSurvey.Outcome? {
        guard let step else { return nil }
        let effects = step.effects.map(\.name)
        return switch step.kind {
        case .defer: .defers
        case .keep: .keeps(effects: effects)
        default: .enters(step.to?.state ?? state, effects: effects)
        }
    }
}
