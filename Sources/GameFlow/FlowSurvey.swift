internal import Timers

/// Builds a model of a flow by calling the flow's selector. It enters each state on a virtual clock, and tries each event and
/// each signal there. Each state is entered with the samples of its data. It is also entered with other data: those that it
/// gets when sample events and timers lead from the initial state to it.
///
/// The model shows only the outcomes with these samples in a state that was just entered. Outcomes with other values, or
/// after a part of a timer's time, may differ. Parameter types, event schemas and a state's data may declare further
/// samples. If the flow lists its rows (`FlowOutline`), the outcomes of rows that no try took are added.
///
/// A state that can go back is entered with the moments that it can have: each state that was found to lead to it, with its samples.
/// The walk from the initial state does not go back.
///
/// A try is one entry into a state, and at most one event or signal there. The number of tries is limited for each state and for
/// the flow, and not by the number of samples and data: their product can be in the millions.
struct FlowSurvey {
    /// The maximum number of places (a place is a state with its data) that the walk from the initial state visits.
    /// Without a limit, the walk through a flow that counts in its data would never end.
    static let walkLimit = 128
    /// The maximum number of lists of drawn values that are tried for one event or signal.
    private static let drawLimit = 64

    private let flow: AnyFlow
    /// The number of tries that were made.
    private(set) var tries = 0
    /// False if a limit cut the tries of a state or of the walk from the initial state.
    private(set) var isWhole = true

    init(_ flow: AnyFlow) { self.flow = flow }

    /// The survey of a flow: what was found, and the effort.
    static func result(of flow: AnyFlow) -> SurveyResult {
        var survey = FlowSurvey(flow)
        let states = survey.states()
        return SurveyResult(states: states, isWhole: survey.isWhole, tries: survey.tries)
    }

    /// The survey of each state, in the flow's order.
    private mutating func states() -> [StateSurvey] {
        let places = reachablePlaces()
        /// The sample data of a state, and those with which it was reached.
        func data(of state: String) -> [[Member]] {
            let samples = flow.dataSamples(of: state)
            let knownData = Set(samples)
            let reachedData = places.filter { $0.state == state }.map(\.data)
            return samples + reachedData.filter { !knownData.contains($0) }
        }
        var states = flow.stateNames.map { state in
            survey(state, data(of: state).map { Probe(flow, state, $0) })
        }
        for (index, state) in flow.stateNames.enumerated()
        where flow.statesWithBack.contains(state) {
            var moments: [Moment] = []
            for source in states where source.state != state && source.wasSeen(entering: state) {
                for data in data(of: source.state)
                where canTry(within: SearchLimit.surveyTries.maximum) {
                    if let moment = Probe(flow, source.state, data).moment {
                        moments.append(moment)
                    }
                }
            }
            let samples = data(of: state)
            if moments.isEmpty || samples.isEmpty { continue }
            // Each datum and each moment is in a probe, but not each pair of them.
            let probes = (0..<max(samples.count, moments.count)).map { number in
                Probe(
                    flow, state, samples[number % samples.count],
                    moment: moments[number % moments.count])
            }
            states[index] = survey(state, probes)
        }
        return states
    }

    /// The greatest number of tries in one state.
    private var triesOfState: Int {
        let share = SearchLimit.surveyTries.maximum / 2 / max(flow.stateNames.count, 1)
        return min(SearchLimit.stateTries.maximum, share)
    }

    /// The signals that every state refuses, in the flow's order. A daemon looks for them at each start. Therefore the long
    /// walk from the initial state is made only if some signal is refused in every state that is entered with sample data.
    ///
    /// If the flow lists its rows, only a signal without a row is in the result. The same holds if a limit cut the tries: then
    /// it is not known that every state refuses the signal.
    mutating func unhandledSignals() -> [String] {
        if let outline = flow.outline {
            return flow.signals.filter { signal in
                !outline.rows.contains { $0.on == signal && $0.isSignal }
            }
        }
        let samples = flow.stateNames.flatMap { state in
            flow.dataSamples(of: state).map { StateRecord(state, $0) }
        }
        // A signal's tag is its raw value, by which a machine handles it.
        var signals = zip(flow.signalTags, flow.signals).map { (tag: $0, name: $1) }
        let moment = flow.statesWithBack.isEmpty ? nil : Probe(flow, flow.initial, []).moment
        for place in samples where !signals.isEmpty {
            removeAccepted(&signals, in: place, moment)
        }
        if signals.isEmpty { return [] }
        for place in reachablePlaces() where !signals.isEmpty {
            removeAccepted(&signals, in: place, moment)
        }
        return isWhole ? signals.map(\.name) : []
    }

    /// Removes the signals that a state takes or defers; removes none if the state cannot be entered. A state that can go back has
    /// `moment` to go back to.
    private mutating func removeAccepted(
        _ signals: inout [(tag: UInt8, name: String)], in place: StateRecord, _ moment: Moment?
    ) {
        signals.removeAll { tag, _ in
            guard canTry(within: SearchLimit.surveyTries.maximum) else { return false }
            let moment = flow.statesWithBack.contains(place.state) ? moment : nil
            let answer = Probe(flow, place.state, place.data, moment: moment).answer(toSignal: tag)
            return answer.map { !$0.outcome.isRefused } ?? false
        }
    }

    /// Counts a try. Returns false if the number of tries has reached `limit`.
    private mutating func canTry(within limit: Int) -> Bool {
        guard tries < limit else {
            isWhole = false
            return false
        }
        tries += 1
        return true
    }

    /// Returns the places that events and the states' own timers lead to from the initial state, the nearest first.
    private mutating func reachablePlaces() -> [StateRecord] {
        // The other half of the tries is for the states.
        let limit = tries + SearchLimit.surveyTries.maximum / 2
        var places: [StateRecord] = []
        var knownPlaces: Set<StateRecord> = []
        /// Adds a place that was not reached before, up to the limit.
        func addNew(_ place: StateRecord?) {
            guard let place, places.count < Self.walkLimit, knownPlaces.insert(place).inserted
            else { return }
            places.append(place)
        }
        addNew(Probe(flow, flow.initial, []).place)
        var index = 0
        while index < places.count, places.count < Self.walkLimit {
            let probe = Probe(flow, places[index].state, places[index].data)
            index += 1
            // `FlowMistakes` reports a place that cannot be entered.
            guard let timers = probe.timers else { continue }
            for (eventIndex, event) in flow.events.enumerated() {
                for sample in event.samples {
                    guard canTry(within: limit) else { return places }
                    addNew(probe.answer(toEvent: eventIndex, sample)?.place)
                }
            }
            for (tag, signal) in zip(flow.signalTags, flow.signals)
            where timers.contains(where: { $0.fires == signal }) {
                guard canTry(within: limit) else { return places }
                addNew(probe.answer(toSignal: tag)?.place)
            }
        }
        return places
    }

    /// Surveys a state with probes that enter it.
    private mutating func survey(_ state: String, _ probes: [Probe]) -> StateSurvey {
        /// The tries that are left for this state, and the number of events and signals that share them.
        var (rest, shares) = (triesOfState, flow.events.count + flow.signals.count + 1)
        /// Returns the number of tries of one event or signal: all, or its share of the tries that are left.
        func share(_ sampleCount: Int) -> Int {
            let all = probes.count * sampleCount
            let count = min(all, max(rest / shares, 1))
            if count < all { isWhole = false }
            tries += count
            rest = max(rest - count, 0)
            shares -= 1
            return count
        }
        let timers = timers(probes.prefix(share(1)))
        let events = flow.events.enumerated().map { index, event in
            result(
                state, event.name, isSignal: false, event.samples,
                isSecret: event.hasSecretSamples, probes, share(event.samples.count)
            ) { probe, sample, draws in probe.answer(toEvent: index, sample, drawing: draws) }
        }
        let signals = zip(flow.signalTags, flow.signals).map { tag, signal in
            result(state, signal, isSignal: true, [[]], probes, share(1)) { probe, _, draws in
                probe.answer(toSignal: tag, drawing: draws)
            }
        }
        return StateSurvey(
            state: state, timers: timers, declaredTimers: flow.outline?.timers[state] ?? [],
            results: events + signals)
    }

    /// Collects the distinct outcomes of one event or signal in `count` tries. `answer` makes one try. Adds the outcomes of rows
    /// that no try took.
    private func result(
        _ state: String, _ on: String, isSignal: Bool, _ samples: [[Member]],
        isSecret: Bool = false, _ probes: [Probe], _ count: Int,
        _ answer: (_ probe: Probe, _ sample: [Member], _ draws: [Int]) -> Probe.Answer?
    ) -> StateSurvey.EventResult {
        var outcomes: [StateSurvey.Outcome] = []
        var indices: [StateSurvey.Outcome: Int] = [:]
        var samplesOfOutcomes: [Set<Int>] = []
        func add(_ outcome: StateSurvey.Outcome, sample: Int) {
            if let index = indices[outcome] {
                samplesOfOutcomes[index].insert(sample)
                return
            }
            indices[outcome] = outcomes.count
            outcomes.append(outcome)
            samplesOfOutcomes.append([sample])
        }
        // The rows of a flow file say what each draw can lead to.
        let script = flow.outline == nil ? flow.drawScript : nil
        for pair in SamplePairs(probes.count, samples.count, count) {
            var draws: [[Int]] = [[]]
            var index = 0
            while index < draws.count, index < Self.drawLimit {
                if let outcome = answer(
                    probes[pair.datum], samples[pair.sample], draws[index])?.outcome
                {
                    add(outcome, sample: pair.sample)
                }
                if let script { draws += script.others(than: draws[index]) }
                index += 1
            }
        }
        let rows = flow.outline?.rows ?? []
        for row in rows where row.isSignal == isSignal && row.on == on && row.from == state {
            guard indices.updateValue(outcomes.count, forKey: row.outcome) == nil else { continue }
            outcomes.append(row.outcome)
            samplesOfOutcomes.append([])
        }
        return StateSurvey.EventResult(
            on: on, isSignal: isSignal, outcomes: outcomes, eventSamples: samples,
            samplesOfOutcomes: samplesOfOutcomes.map { $0.sorted() }, hasSecretSamples: isSecret)
    }

    /// Returns the timers that the state has with any of the data, one for each signal.
    private func timers(_ probes: some Sequence<Probe>) -> [LiveTimer] {
        var found: [LiveTimer] = []
        for probe in probes {
            for timer in probe.timers ?? []
            where !found.contains(where: { $0.fires == timer.fires }) {
                found.append(timer)
            }
        }
        return found
    }
}

/// What the survey of a flow found.
package struct SurveyResult: Sendable {
    /// What each state does for each event and signal, in the flow's order.
    public private(set) var states: [StateSurvey]
    /// Whether all samples were tried with all data; false if a limit was reached.
    public let isWhole: Bool
    /// How many tries were made.
    public let tries: Int
    /// Whether a search looked for the rows that no try took; see `add(_:)`.
    public private(set) var isSearched = false

    init(states: [StateSurvey], isWhole: Bool, tries: Int) {
        (self.states, self.isWhole, self.tries) = (states, isWhole, tries)
    }

    /// Whether the tries took each row of a flow file.
    public var triedEachRow: Bool {
        states.allSatisfy { state in
            state.results.allSatisfy { result in
                result.outcomes.indices.allSatisfy { result.wasTried(outcomeAt: $0) }
            }
        }
    }

    /// The rows of a flow file that no try took.
    public var untriedRows: Set<FlowOutline.Row> {
        var rows: Set<FlowOutline.Row> = []
        for state in states {
            for result in state.results {
                for (index, outcome) in result.outcomes.enumerated()
                where !result.wasTried(outcomeAt: index) {
                    rows.insert(
                        FlowOutline.Row(
                            from: state.state, on: result.on, isSignal: result.isSignal,
                            outcome: outcome))
                }
            }
        }
        return rows
    }

    /// Adds the rows that a search took.
    public mutating func add(_ taken: Set<FlowOutline.Row>) {
        isSearched = true
        if taken.isEmpty { return }
        for stateIndex in states.indices {
            let state = states[stateIndex].state
            for resultIndex in states[stateIndex].results.indices {
                let result = states[stateIndex].results[resultIndex]
                for (index, outcome) in result.outcomes.enumerated()
                where taken.contains(
                    FlowOutline.Row(
                        from: state, on: result.on, isSignal: result.isSignal, outcome: outcome))
                {
                    states[stateIndex].results[resultIndex].outcomesOfSearch.insert(index)
                }
            }
        }
    }
}

/// Pairs of a datum and a sample, by their indices: all pairs, or `count` of them. If not all pairs fit, each datum and each
/// sample is in a pair as long as `count` is large enough.
struct SamplePairs: Sequence, IteratorProtocol {
    private let dataCount: Int
    private let sampleCount: Int
    private let count: Int
    /// The number of pairs after which the diagonal begins again at its first pair.
    private let cycle: Int
    private var pairIndex = 0

    init(_ dataCount: Int, _ sampleCount: Int, _ count: Int) {
        (self.dataCount, self.sampleCount) = (dataCount, sampleCount)
        self.count = Swift.min(count, dataCount * sampleCount)
        let divisor = Self.greatestCommonDivisor(dataCount, sampleCount)
        cycle = dataCount * sampleCount / Swift.max(divisor, 1)
    }

    mutating func next() -> (datum: Int, sample: Int)? {
        guard pairIndex < count else { return nil }
        defer { pairIndex += 1 }
        if count == dataCount * sampleCount {
            return (pairIndex / sampleCount, pairIndex % sampleCount)
        }
        // The diagonals of the table of all pairs: after each cycle through all data and samples, the samples are shifted by
        // one.
        return (pairIndex % dataCount, (pairIndex + pairIndex / cycle) % sampleCount)
    }

    private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
        b == 0 ? a : greatestCommonDivisor(b, a % b)
    }
}

/// Finds out the results of events and signals in a given state, by sending them to a machine in that state.
final class Probe: MachineObserver {
    private let flow: AnyFlow
    private let state: String
    private let data: [Member]
    /// The moment to which the state can go back; nil for none.
    private let origin: Moment?
    private let clock = VirtualClock()
    private var machine: AnyMachine!
    /// The first step since the state was entered; nil before it.
    private var step: Step?
    /// The most recent refusal since the state was entered; nil if there was none.
    private var refusal: Reason?

    init(_ flow: AnyFlow, _ state: String, _ data: [Member], moment: Moment? = nil) {
        (self.flow, self.state, self.data, origin) = (flow, state, data, moment)
        clock.timerQueue.wallClock = .search
    }

    func completed(_ step: consuming Step) { if self.step == nil { self.step = step } }
    func refused(_ event: EventRecord, _ source: Source, _ refusal: Reason) {
        self.refusal = refusal
    }

    /// The timers of the state after it was entered; nil if it cannot be entered.
    var timers: [LiveTimer]? { enter() ? machine.liveTimers : nil }
    /// The state and data after the state was entered; nil if it cannot be entered.
    var place: StateRecord? { enter() ? machine.place : nil }

    /// The state, its data and its timers as another state can go back to them; nil if the state cannot be entered.
    var moment: Moment? { enter() ? Moment(machine) : nil }

    /// Enters the state with a new machine, so that earlier events have no influence on the next event. Returns whether the
    /// state could be entered.
    private func enter() -> Bool {
        machine = flow.machine(
            on: clock.timerQueue, EventQueue(dropsPostedEvents: true), observer: self,
            isDryRun: true)
        // The sender makes no difference, because nothing is recorded.
        try? machine.open(state, data, from: .timer)
        if let origin { machine.setMoments([origin]) }
        // The step that opened the machine is not a result.
        defer { (step, refusal) = (nil, nil) }
        return step != nil
    }

    /// The result of an event or a signal: the outcome, and the place to which it leads. The place is nil if the event is
    /// refused.
    typealias Answer = (outcome: StateSurvey.Outcome, place: StateRecord?)

    /// Returns the result of the event at `index` in the flow's list of events; nil if the state cannot be entered.
    /// `draws` are the outcomes of its first draws.
    func answer(toEvent index: Int, _ arguments: [Member], drawing draws: [Int] = []) -> Answer? {
        guard enter() else { return nil }
        flow.drawScript?.begin(draws)
        do throws(Reason) {
            try machine.send(EventIndex(index: index), arguments, from: .timer)
        } catch { return (.refused(error), nil) }
        return outcome.map { ($0, step?.to) }
    }

    /// Returns the result of a signal; nil if the state cannot be entered, or if the machine reports neither a step nor a
    /// refusal. `draws` are the outcomes of its first draws.
    func answer(toSignal tag: UInt8, drawing draws: [Int] = []) -> Answer? {
        guard enter() else { return nil }
        flow.drawScript?.begin(draws)
        machine.fireNow(tag)
        if let refusal { return (.refused(refusal), nil) }
        return outcome.map { ($0, step?.to) }
    }

    /// The outcome of the first step since the state was entered; nil before that step.
    private var outcome: StateSurvey.Outcome? {
        step.map { StateSurvey.Outcome($0, in: state) }
    }
}
