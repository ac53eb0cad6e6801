internal import Timers

/// A state as found by the survey of its flow.
public struct StateSurvey {
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
        /// For each outcome, the sample arguments that lead to it.
        let arguments: [[[Member]]]
        /// Whether the samples are solutions that players have to find. Such samples are hidden from clients.
        let hasSecretSamples: Bool

        /// The distinct sample arguments of all outcomes.
        public var samples: [[Member]] {
            arguments.reduce(into: []) { all, some in
                for sample in some where !all.contains(sample) { all.append(sample) }
            }
        }

        /// Returns the outcomes for one sample, over all of the state's data.
        public func outcomes(with sample: [Member]) -> [Outcome] {
            zip(outcomes, arguments).filter { $1.contains(sample) }.map(\.0)
        }

        /// Returns the event's name. If the event has several samples and only one of them leads to the outcome at `index`, its
        /// arguments follow the name: `judge correct=true`. Secret samples are left out.
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

        /// Whether the state takes or defers the event for any sample.
        public var isAccepted: Bool { outcomes.contains { !$0.isRefused } }
    }

    public enum Outcome: Equatable {
        case enters(String, effects: [String])
        case keeps(effects: [String])
        case defers
        case refused(Reason)

        var isRefused: Bool { if case .refused = self { true } else { false } }
    }

    /// A possible result of an event or a signal: its name, the state that is entered or kept, and the effects.
    public typealias ObservedTransition = (on: String, to: String, effects: [String])

    /// The transitions from this state, including those of signals that none of its timers sends.
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

    /// Returns the state's timer that sends a signal; nil if the state has no such timer.
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

/// Builds a model of a flow by calling its selector. It enters each state on a virtual clock and tries each event and
/// signal in it. Each state is entered with its samples of data, and with the data that it has when sample events and timers
/// lead to it from the initial state.
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

    var states: [StateSurvey] {
        let reached = reachableStates()
        return flow.stateNames.map { state in
            let samples = flow.dataSamples(of: state)
            let reachedData = reached.filter { $0.state == state }.map(\.data)
            return survey(state, samples + reachedData.filter { !samples.contains($0) })
        }
    }

    /// The signals that every state refuses, in the flow's order. A daemon looks for them at each start. Therefore the long
    /// walk from the initial state is made only if some signal is refused in every state that is entered with sample data.
    var unhandledSignals: [String] {
        let samples = flow.stateNames.flatMap { state in
            flow.dataSamples(of: state).map { StateRecord(state, $0) }
        }
        var signals = Array(zip(flow.signalTags, flow.signals))
        for findPlaces in [{ samples }, reachableStates] where !signals.isEmpty {
            let places = findPlaces()
            signals.removeAll { tag, _ in places.contains { accepts(signal: tag, $0) } }
        }
        return signals.map(\.1)
    }

    private func accepts(signal tag: UInt8, _ place: StateRecord) -> Bool {
        guard let answers = Probe(flow, place.state, place.data)?.answers(toSignal: tag) else {
            return false
        }
        return answers.contains { !$0.outcome.isRefused }
    }

    /// Returns the places that events and the states' own timers lead to from the initial state, the nearest first.
    private func reachableStates() -> [StateRecord] {
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
                let probe = Probe(flow, place.state, place.data)
                addNew(probe?.answers(toSignal: tag).first?.place)
            }
        }
        return places
    }

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

    private func result(
        _ on: String, isSignal: Bool, _ data: [[Member]], isSecret: Bool = false,
        _ answers: ([Member]) -> [Probe.Answer]
    ) -> StateSurvey.EventResult {
        var outcomes: [StateSurvey.Outcome] = []
        var arguments: [[[Member]]] = []
        for answer in data.flatMap(answers) {
            let index = outcomes.firstIndex(of: answer.outcome) ?? outcomes.endIndex
            if index == outcomes.endIndex {
                outcomes.append(answer.outcome)
                arguments.append([])
            }
            if !arguments[index].contains(answer.arguments) {
                arguments[index].append(answer.arguments)
            }
        }
        return StateSurvey.EventResult(
            on: on, isSignal: isSignal, outcomes: outcomes, arguments: arguments,
            hasSecretSamples: isSecret)
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

/// A machine in a given state, which finds out the result of events and signals.
final class Probe: MachineObserver {
    private let flow: AnyFlow
    private let state: String
    private let data: [Member]
    private let clock = VirtualClock()
    private var machine: AnyMachine!
    private var step: Step?
    private var refusal: Reason?

    /// Returns nil if the state cannot be entered with the data.
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
        try? machine.open(state, data, from: .timer)
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

    /// The sample arguments of an event, its outcome, and the place that it leads to; the place is nil if the
    /// event is refused.
    typealias Answer = (arguments: [Member], outcome: StateSurvey.Outcome, place: StateRecord?)

    /// Returns the result of a signal; empty if the machine reports neither a step nor a refusal. It does not enter the state
    /// again, so each signal needs a new probe.
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
