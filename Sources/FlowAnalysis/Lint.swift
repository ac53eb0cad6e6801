public import GameFlow
internal import Timers

/// Finds defects in a flow, by calling its selector and by trying the flow in virtual time. `gamectl lint` prints the result.
/// Each private function below returns the findings of one or several cases of `Finding`, which explain them.
///
/// A finding is given only if it is proved. A finding that says that something happens is proved by a trial. A finding that says
/// that something cannot happen is proved by the rows of a flow file, or by an exploration that left out nothing. What could not
/// be decided is named in a finding `incomplete`. For a flow that is written in Swift, the samples stand for all arguments and
/// data.
public struct Lint {
    public let flow: AnyFlow
    /// The outcome of each event and signal in each state.
    package let matrix: [StateSurvey]
    public private(set) var findings: [Finding] = []
    /// How many situations were tried, and whether that was enough: all were tried, or those that were not tried can have no finding.
    public let explored: (situations: Int, isComplete: Bool)
    /// The names of the events whose ranges of arguments have too many values to be tried whole.
    public let eventsNotTriedWhole: [String]

    /// The exploration of the flow; nil if the flow has mistakes.
    private let exploration: Exploration?
    /// What was not reached, although it is not proved that it cannot be reached.
    private var undecided: [String] = []

    /// Examines a flow. If the flow has mistakes, they are the only findings. The search ends after `moves` moves.
    public init(_ flow: AnyFlow, moves: Int = SearchLimit.lintMoves.maximum) {
        if flow.mistakes.isEmpty {
            self.init(Self.exploration(of: flow, moves))
        } else {
            self.init(withMistakes: flow)
        }
    }

    /// Reports only the mistakes of `flow`, because trials of a flow with mistakes would lead to misleading findings.
    private init(withMistakes flow: AnyFlow) {
        self.flow = flow
        (matrix, exploration, explored) = (flow.survey, nil, (0, false))
        eventsNotTriedWhole = []
        findings = flow.mistakes.map { .mistake($0) } + warnings
    }

    /// Examines the flow of an exploration; the flow must have no mistakes.
    public init(_ exploration: Exploration) {
        flow = exploration.flow
        var survey = flow.surveyResult
        survey.add(exploration.takenRows)
        matrix = survey.states
        self.exploration = exploration
        explored = (
            exploration.examinedCount, exploration.isComplete || exploration.isAnswered
        )
        eventsNotTriedWhole = exploration.eventsNotTriedWhole
        findings = warnings
        findings += unreachableStates(exploration)
        findings += deadEvents(exploration)
        findings += deadEnds(exploration)
        findings += unsentSignals(exploration)
        findings += matrix.flatMap { signalFindings(of: $0, exploration) }
        findings += hopelessTimers(exploration)
        findings += statesLostAtRestart(exploration)
        findings += missingTransitions(exploration)
        findings += exploration.endlessPosts.map { .endlessPosts(state: $0, event: $1) }
        findings += brokenInvariants(exploration)
        findings += incompleteness(exploration)
    }

    /// The search that lint makes. With `onlyRows`, it ends when it has taken each row that no try of the survey took.
    private static func exploration(of flow: AnyFlow, _ moves: Int, onlyRows: Bool = false)
        -> Exploration
    {
        Exploration(
            flow, SearchBudget(.lintMoves, moves), lookingFor: flow.surveyResult.untriedRows,
            onlyRows: onlyRows, questionMoves: questionMoves, isAnswered: isAnswered)
    }

    /// Adds to a flow's survey the rows that the search of lint takes and no try of the survey took, so that a diagram says the same
    /// as lint. Does nothing if each row was tried, or if the search was made before. The search can take seconds.
    package static func searchForRows(
        of flow: AnyFlow, moves: Int = SearchLimit.lintMoves.maximum
    ) {
        _ = flow.surveyResult
        if flow.isSearched { return }
        // Trials of a flow with mistakes would mislead.
        let taken =
            flow.mistakes.isEmpty
            ? exploration(of: flow, moves, onlyRows: true).takenRows : []
        flow.addToSurvey(taken)
    }

    // MARK: when the search is long enough

    /// The moves after which the search ends if it can have no further finding. A shorter search is not interrupted, because it tries
    /// all situations in a moment.
    static let questionMoves = 75_000

    /// Whether the situations that the exploration has not tried can have no finding. This is so for some flow files:
    ///
    /// - The rows prove what no situation can do, and the survey has all of them.
    /// - Each state was reached, each timer has fired in its state, and each signal that a state takes was seen there.
    /// - Nothing else depends on data. Each change of data is checked by the types with which a restart reads them, so that no state
    ///   is lost at a restart.
    private static func isAnswered(_ exploration: Exploration) -> Bool {
        let flow = exploration.flow
        guard let outline = flow.outline, !outline.hasChecksOfData,
            flow.stateNames.allSatisfy({ exploration.arrivals[$0] != nil })
        else { return false }
        let matrix = flow.survey
        let fired = Set(exploration.edges.flatMap(\.transitions).map { [$0.from, $0.on] })
        let seen = exploration.timers
        return flow.signals.allSatisfy { signal in
            matrix.contains { $0.hasTimer(signal) || $0.timer(signal) != nil }
                || seen.values.contains { $0.contains(signal) }
        }
            && matrix.filter { !flow.finals.contains($0.state) }.allSatisfy { state in
                state.timers.allSatisfy {
                    !$0.info.canFire || $0.info.isPaused || fired.contains([state.state, $0.fires])
                }
                    && state.results.allSatisfy {
                        !$0.isSignal || !$0.isAccepted || state.hasTimer($0.on)
                            || seen[state.state]?.contains($0.on) == true
                    }
            }
    }

    /// The warnings of the flow's file.
    private var warnings: [Finding] { flow.warnings.map { .warning($0) } }

    /// What was not searched.
    private func incompleteness(_ exploration: Exploration) -> [Finding] {
        var sentences = exploration.incompleteness.map { [$0] } ?? []
        if !flow.surveyResult.isWhole, flow.outline == nil {
            let limit = SearchLimit.surveyTries
            sentences.append(
                "not all data were tried with all events (limit: \(limit.rawValue), \(limit.maximum))"
            )
        }
        if !undecided.isEmpty {
            sentences.append(
                "not reached: \(undecided.joined(separator: ", ")); \(exploration.whyNotExhaustive)"
            )
        }
        return sentences.map { .incomplete($0) }
    }

    private func brokenInvariants(_ exploration: Exploration) -> [Finding] {
        exploration.brokenInvariants.map { breach, situation in
            .brokenInvariant(
                breach.sentence, state: "\(situation.place)",
                path: situation.path.map(\.description))
        }
    }

    /// For each state, the first situation that a restart could not restore.
    private func statesLostAtRestart(_ exploration: Exploration) -> [Finding] {
        var (checked, reportedStates): (Set<StateRecord>, Set<String>) = ([], [])
        return exploration.situations.map(\.place).compactMap { record in
            guard !reportedStates.contains(record.state), checked.insert(record).inserted,
                let why = flow.obstacle(toRestoring: record)
            else { return nil }
            reportedStates.insert(record.state)
            return .lostAtRestart(state: record.state, data: record.data, why: why.sentence)
        }
    }

    /// The transitions that the exploration observed and the flow's survey lacks. Clients see only the survey, through the
    /// methods `describe` and `graph`. The survey of a flow file has all its rows.
    private func missingTransitions(_ exploration: Exploration) -> [Finding] {
        var knownTransitions: Set<Exploration.NamedTransition> = []
        for state in matrix {
            for transition in state.transitions {
                knownTransitions.insert(
                    Exploration.NamedTransition(
                        from: state.state, on: transition.on, to: transition.to))
            }
        }
        return exploration.edges.flatMap(\.transitions)
            .filter { knownTransitions.insert($0).inserted }
            .map { .missingRow(from: $0.from, on: $0.on, to: $0.to) }
    }

    // MARK: what cannot happen

    /// Whether the exploration proves what it did not find in a state. A state without data and timers does the same in each
    /// visit, so that one visit is enough.
    private func isProved(in state: String, _ exploration: Exploration) -> Bool {
        exploration.isExhaustive
            || flow.surveyResult.isWhole && flow.data(of: state).isEmpty
                && (exploration.timers[state] ?? []).isEmpty
    }

    private mutating func unreachableStates(_ exploration: Exploration) -> [Finding] {
        let missing = flow.stateNames.filter { exploration.arrivals[$0] == nil }
        if missing.isEmpty { return [] }
        let connected = connectedStates
        return missing.compactMap { state in
            // If a flow lists its rows, a state to which no rows lead cannot be reached.
            if flow.outline != nil && !connected.contains(state) || exploration.isExhaustive {
                return .unreachableState(state)
            }
            undecided.append("the state \(state)")
            return nil
        }
    }

    /// The states to which transitions lead from the initial state, whatever the conditions of the transitions are.
    private var connectedStates: Set<String> {
        let successors = Dictionary(
            matrix.map { ($0.state, $0.successors) }, uniquingKeysWith: { first, _ in first })
        var (found, queue): (Set<String>, [String]) = ([flow.initial], [flow.initial])
        while let state = queue.popLast() {
            for next in successors[state] ?? [] where found.insert(next).inserted {
                queue.append(next)
            }
        }
        return found
    }

    private mutating func deadEvents(_ exploration: Exploration) -> [Finding] {
        let taken = Set(exploration.edges.compactMap(\.move.event))
        return flow.events.map(\.name).filter { event in
            !taken.contains(event)
                && !matrix.contains { $0.results.contains { $0.on == event && $0.isAccepted } }
        }.compactMap { event in
            if flow.outline != nil || flow.surveyResult.isWhole && exploration.isComplete {
                return .deadEvent(event)
            }
            undecided.append("a state that takes \(event)")
            return nil
        }
    }

    private mutating func deadEnds(_ exploration: Exploration) -> [Finding] {
        let left = Set(
            exploration.edges.flatMap(\.transitions).filter { $0.from != $0.to }.map(\.from))
        return matrix.filter { state in
            !flow.finals.contains(state.state) && !state.timers.contains { $0.info.canFire }
                && state.declaredTimers.isEmpty && !left.contains(state.state)
                && state.successors.allSatisfy { $0 == state.state }
        }.compactMap { state in
            if flow.outline != nil || isProved(in: state.state, exploration) {
                return .deadEnd(state.state)
            }
            undecided.append("an exit of \(state.state)")
            return nil
        }
    }

    private mutating func unsentSignals(_ exploration: Exploration) -> [Finding] {
        flow.signals.filter { signal in
            // A stopwatch has a signal only as its name.
            !matrix.contains { $0.hasTimer(signal) || $0.timer(signal) != nil }
                && !exploration.timers.values.contains { $0.contains(signal) }
        }.compactMap { signal in
            if exploration.isExhaustive { return .unsentSignal(signal) }
            undecided.append("a timer that sends \(signal)")
            return nil
        }
    }

    private mutating func signalFindings(of state: StateSurvey, _ exploration: Exploration)
        -> [Finding]
    {
        let name = state.state
        if flow.finals.contains(name) {
            return state.timers.map { .finalTimer(state: name, signal: $0.fires) }
        }
        let idleSignals = state.results.filter { result in
            result.isSignal && result.isAccepted && !state.hasTimer(result.on)
                && exploration.timers[name]?.contains(result.on) != true
                && matrix.contains { $0.hasTimer(result.on) }
        }.map(\.on)
        let firing = state.timers.filter(\.info.canFire)
        let refused = firing.map(\.fires).filter {
            refusesSignalOfOwnTimer($0, name, exploration.budget)
        }
        var findings: [Finding] = refused.map { .unhandledSignal(state: name, signal: $0) }
        for signal in idleSignals {
            if isProved(in: name, exploration) {
                findings.append(.idleRow(state: name, signal: signal))
            } else {
                undecided.append("a timer of \(name) that sends \(signal)")
            }
        }
        return findings
            + firing.filter { $0.info.total == .zero && $0.info.mark == nil }.map {
                .instantTimer(state: name, signal: $0.fires)
            }
    }

    /// Whether the state refuses `signal` when its own timer fires, with at least one sample of the state's data.
    private func refusesSignalOfOwnTimer(
        _ signal: String, _ state: String, _ budget: SearchBudget
    ) -> Bool {
        flow.dataSamples(of: state).contains { data in
            guard !budget.isSpent, let trial = try? Trial(opening: flow, state, data) else {
                return false
            }
            defer { budget.use(trial.moveCount) }
            trial.clearSteps()
            return trial.machine.timer(signal) != nil && trial.refusesSignal(signal)
        }
    }

    /// Timers that never fire, because the signal of another timer always ends the visit of the state first. The order of the
    /// timers is decided when the state is entered. So there is one trial for each sample of the state's data, which enters the
    /// state with this sample. There is also one trial for each situation of the state that the exploration found.
    private mutating func hopelessTimers(_ exploration: Exploration) -> [Finding] {
        // Most timers have fired in the exploration.
        let fired = Set(exploration.edges.flatMap(\.transitions).map { [$0.from, $0.on] })
        return matrix.filter { !flow.finals.contains($0.state) }.flatMap { state -> [Finding] in
            // Closures, because most trials are not needed: soon every timer of the state has fired once.
            let sampleTrialMakers = flow.dataSamples(of: state.state).map { data in
                { [flow] in try? Trial(opening: flow, state.state, data) }
            }
            let reachedTrialMakers = exploration.situations
                .filter { $0.place.state == state.state }
                .map { situation -> () -> Trial? in
                    { [flow] in Trial(flow, after: situation.path) }
                }
            // A timer that begins paused fires once something starts it.
            let running = state.timers.filter { $0.info.canFire && !$0.info.isPaused }
            var hopeless = running.map(\.fires).filter { !fired.contains([state.state, $0]) }
            for makeTrial in sampleTrialMakers + reachedTrialMakers where !hopeless.isEmpty {
                if exploration.budget.isSpent { break }
                guard let trial = makeTrial() else { continue }
                let fired = trial.advanceUntilFired(hopeless)
                exploration.budget.use(trial.moveCount)
                // If the wait reached the limit of firings, the other timers might have fired later. So no timer of the state
                // is reported.
                hopeless.removeAll { fired.contains($0) || trial.reachedFiringLimit }
            }
            let isProved = exploration.isExhaustive && !exploration.budget.isSpent
            if !isProved {
                undecided += hopeless.map { "the end of the timer \($0) of \(state.state)" }
            }
            return isProved ? hopeless.map { .hopelessTimer(state: state.state, signal: $0) } : []
        }
    }
}
