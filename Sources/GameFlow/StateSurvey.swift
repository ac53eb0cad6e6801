internal import Timers

/// A state as found by the survey of its flow.
package struct StateSurvey: Sendable {
    /// The state's name.
    public let state: String
    /// The state's timers directly after entry.
    public let timers: [LiveTimer]
    /// The names of the timers that the flow declares for the state; empty if the flow does not list them. A timer with a
    /// condition may be missing in `timers`.
    package let declaredTimers: [String]
    /// The result of each event and each signal in this state, in the flow's order.
    public internal(set) var results: [EventResult]

    /// The possible results of one event or signal in a state, over all samples of the event and all sample data of the state.
    public struct EventResult: Sendable {
        /// The name of the event or signal that is handled.
        public let on: String
        public let isSignal: Bool
        /// The distinct outcomes that were found. Then come outcomes that a row of the flow declares and that no try had; see
        /// `wasTried(outcomeAt:)`.
        public let outcomes: [Outcome]
        /// The samples of the event's arguments. A signal has one sample, without arguments.
        let eventSamples: [[Member]]
        /// For each outcome, the indices of the samples that lead to it, in rising order. Empty if no try had the outcome.
        let samplesOfOutcomes: [[Int]]
        /// Whether the samples are solutions that players have to find. Such samples are hidden from clients.
        let hasSecretSamples: Bool
        /// The indices of outcomes that no try of the survey had, and a search had.
        var outcomesOfSearch: Set<Int> = []

        /// The samples that were tried.
        public var samples: [[Member]] {
            Set(samplesOfOutcomes.joined()).sorted().map { eventSamples[$0] }
        }

        /// Whether the survey or a search saw the outcome at `index`. False if a row of a flow file declares it, and no try took
        /// that row.
        public func wasTried(outcomeAt index: Int) -> Bool {
            !samplesOfOutcomes[index].isEmpty || outcomesOfSearch.contains(index)
        }

        /// Returns the outcomes for one of `samples`, over all of the state's data.
        public func outcomes(with sample: [Member]) -> [Outcome] {
            guard let sampleIndex = eventSamples.firstIndex(of: sample) else { return [] }
            return zip(outcomes, samplesOfOutcomes).filter { $1.contains(sampleIndex) }.map(\.0)
        }

        /// Returns the event's name. If the event has several samples and only one of them leads to the outcome at `index`, its
        /// arguments follow the name: `judge correct=true`. Secret samples are left out.
        public func title(ofOutcomeAt index: Int) -> String {
            let indices = samplesOfOutcomes[index]
            guard !hasSecretSamples, eventSamples.count > 1, indices.count == 1 else { return on }
            let words = eventSamples[indices[0]].map { "\($0.name)=\(Self.word($0.value))" }
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
    public enum Outcome: Hashable, Sendable {
        /// A state with this name is entered, and effects with these names are requested.
        case enters(String, effects: [String])
        /// The state stays, perhaps with other data, and effects with these names are requested.
        case keeps(effects: [String])
        case defers
        case refused(Reason)

        var isRefused: Bool { if case .refused = self { true } else { false } }

        /// The outcome that a machine reports as a step in this state.
        init(_ step: Step, in state: String) {
            let effects = step.effects.map(\.name)
            self =
                switch step.kind {
                case .defer: .defers
                case .keep: .keeps(effects: effects)
                default: .enters(step.to?.state ?? state, effects: effects)
                }
        }
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
        results.filter { !$0.isSignal || hasTimer($0.on) }
    }

    /// Whether a timer of the state sends the signal: the timer was set in a try, or the flow declares it.
    public func hasTimer(_ signal: String) -> Bool {
        timer(signal)?.info.canFire ?? declaredTimers.contains(signal)
    }

    /// The events that this state defers for some arguments.
    public var deferred: [String] {
        results.filter { $0.outcomes.contains(.defers) }.map(\.on)
    }

    /// Whether a try entered the state `name` from this state.
    func wasSeen(entering name: String) -> Bool {
        results.contains { result in
            result.outcomes.indices.contains { index in
                guard case .enters(name, _) = result.outcomes[index] else { return false }
                return result.wasTried(outcomeAt: index)
            }
        }
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
