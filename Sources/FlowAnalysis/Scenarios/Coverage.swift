public import GameFlow
internal import Timers

/// Which transitions, timers, refusals and deferrals of a flow were exercised.
public struct Coverage {
    public let flow: AnyFlow
    /// The transitions that were taken.
    public private(set) var transitions: Set<Exploration.NamedTransition> = []
    /// The timers that fired, by state and signal.
    public private(set) var timers: Set<Item> = []
    /// The events that were refused, by state. Each refusal has two entries: the event's name alone, and the event with its
    /// arguments. These two forms are needed, because `allRefusals` lists some events by name and other events with arguments.
    public private(set) var refusals: Set<Item> = []
    /// The events that were deferred.
    public private(set) var deferrals: Set<Item> = []

    /// A timer or event in a state.
    public struct Item: Hashable, Sendable {
        public let state: String
        /// The signal, or the event by its name or with its arguments.
        public let name: String
    }

    public init(_ flow: AnyFlow) { self.flow = flow }

    mutating func add(_ steps: [Step]) {
        for step in steps {
            if step.kind == .defer, let from = step.from, let event = step.event {
                deferrals.insert(Item(state: from.state, name: event.name))
            }
            guard let transition = Exploration.NamedTransition(step) else { continue }
            transitions.insert(transition)
            if flow.signals.contains(transition.on) {
                timers.insert(Item(state: transition.from, name: transition.on))
            }
        }
    }

    mutating func addRefusal(of event: String, _ arguments: [Member], in state: String) {
        refusals.insert(Item(state: state, name: event))
        refusals.insert(Item(state: state, name: ScenarioText.named(event, arguments)))
    }

    /// Whether the other coverage is of the same version of the same flow.
    public func isOfSameFlow(as other: Coverage) -> Bool {
        // `source` is the text of a flow file; nil for a flow that is compiled into the program.
        flow.name == other.flow.name && flow.source?.version == other.flow.source?.version
    }

    /// Adds the coverage of another run.
    public mutating func add(_ other: Coverage) {
        transitions.formUnion(other.transitions)
        timers.formUnion(other.timers)
        refusals.formUnion(other.refusals)
        deferrals.formUnion(other.deferrals)
    }

    // MARK: what can be covered

    /// All transitions, in the flow's order. A transition on a signal counts only if a timer of the state sends the signal.
    public var allTransitions: [Exploration.NamedTransition] {
        var seen: Set<Exploration.NamedTransition> = []
        return flow.survey.flatMap { state in
            state.possibleTransitions.map {
                Exploration.NamedTransition(from: state.state, on: $0.on, to: $0.to)
            }
        }.filter { seen.insert($0).inserted }
    }

    public var allTimers: [Item] {
        flow.survey.flatMap { state in
            state.timers.filter(\.info.canFire).map { Item(state: state.state, name: $0.fires) }
        }
    }

    /// The events that each state refuses. An event that the state refuses with every sample of its arguments is listed once,
    /// by its name. Otherwise, a sample of the event's arguments has an entry if the state refuses this sample with every
    /// sample of the state's data.
    public var allRefusals: [Item] {
        flow.survey.flatMap { state in
            state.results.filter { !$0.isSignal }.flatMap { result -> [Item] in
                guard result.isAccepted else {
                    return [Item(state: state.state, name: result.on)]
                }
                return result.samples.filter { areRefusals(result.outcomes(with: $0)) }.map {
                    Item(state: state.state, name: ScenarioText.named(result.on, $0))
                }
            }
        }
    }

    /// Whether each outcome is a refusal, because the state has no transition for the event or is final.
    private func areRefusals(_ outcomes: [StateSurvey.Outcome]) -> Bool {
        outcomes.allSatisfy { $0 == .refused(.noTransition) || $0 == .refused(.finished) }
    }

    /// Each event that a state defers.
    public var allDeferrals: [Item] {
        flow.survey.flatMap { state in
            state.deferred.map { Item(state: state.state, name: $0) }
        }
    }

    /// Whether everything was exercised.
    public var isComplete: Bool {
        transitions.isSuperset(of: allTransitions) && timers.isSuperset(of: allTimers)
            && refusals.isSuperset(of: allRefusals) && deferrals.isSuperset(of: allDeferrals)
    }
}
