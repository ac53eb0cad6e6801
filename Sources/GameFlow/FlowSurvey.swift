internal import JSON
internal import Timers

/// A state as the survey of its flow found it.
public struct Surveyed {
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

        /// Whether the state takes it, or keeps it for later.
        public var isAccepted: Bool {
            outcomes.contains { if case .refused = $0 { false } else { true } }
        }
    }

    public enum Outcome: Equatable {
        case enters(String, effects: [String])
        case keeps(effects: [String])
        case defers
        case refused(Refusal)
    }

    /// The rows of the flow's table that begin here: what is entered or kept.
    public var transitions: [(on: String, to: String, effects: [String])] {
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

    /// The states that are entered from here, each once.
    public var successors: [String] {
        var found: [String] = []
        for case .enters(let to, _) in verdicts.flatMap(\.outcomes) where !found.contains(to) {
            found.append(to)
        }
        return found
    }
}

/// Finds out what a flow does by asking its real selector: every state is entered with samples of its
/// data, on a virtual clock of its own, and every event and signal is tried in it.
///
/// So what clients are told is what happens, with those samples, in a state that was just entered. What
/// only other values bring about, or what is left of a timer, is not found; parameters' types offer
/// samples for that, and an event's form and a state's data may.
struct FlowSurvey {
    private let flow: AnyFlow

    init(_ flow: AnyFlow) { self.flow = flow }

    var states: [Surveyed] { flow.stateNames.map(survey) }

    private func survey(_ state: String) -> Surveyed {
        let all = flow.dataSamples(of: state)
        let events = flow.events.enumerated().map { index, event in
            Surveyed.Verdict(
                on: event.name, isSignal: false,
                outcomes: outcomes(all) { Probe(flow, state, $0).ask(index, event.samples) })
        }
        let signals = flow.signals.enumerated().map { tag, signal in
            Surveyed.Verdict(
                on: signal, isSignal: true,
                outcomes: outcomes(all) { Probe(flow, state, $0).ask(tag: UInt8(tag)) })
        }
        return Surveyed(state: state, timers: timers(state, all), verdicts: events + signals)
    }

    private func outcomes(_ data: [[Member]], _ ask: ([Member]) -> [Surveyed.Outcome])
        -> [Surveyed.Outcome]
    {
        var distinct: [Surveyed.Outcome] = []
        for outcome in data.flatMap(ask) where !distinct.contains(outcome) {
            distinct.append(outcome)
        }
        return distinct
    }

    /// The timers that any data bring, each signal's once.
    private func timers(_ state: String, _ data: [[Member]]) -> [LiveTimer] {
        var found: [LiveTimer] = []
        for timer in data.flatMap({ Probe(flow, state, $0).timers })
        where !found.contains(where: { $0.fires == timer.fires }) {
            found.append(timer)
        }
        return found
    }
}
