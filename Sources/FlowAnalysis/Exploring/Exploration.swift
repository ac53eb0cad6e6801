public import GameFlow
internal import Timers

/// The situations that a session of a flow can reach, found by a breadth-first search in virtual time.
///
/// The search starts in the initial state. In each situation it tries these moves:
/// - send each event, with samples of its arguments;
/// - wait until each timer fires;
/// - wait for half of the time of the countdown that ends first.
///
/// A session can reach each situation that is found. With other arguments, or at other moments, a session may also reach
/// situations that the search does not find; `isExhaustive` tells whether that is excluded.
///
/// A situation consists of a state with its data, the deferred events, the timers that are set, and the time that each timer had
/// left: at the entry into the state or, after a wait for half of a countdown's time, at the end of this wait. If the flow is a
/// flow file, a situation has only the data that decide something, and sets and tallies count as equal if they have the same
/// entries; see `SearchModel`.
public struct Exploration {
    public struct Situation {
        public let place: StateRecord
        /// The moves that lead from the initial state to the situation; no other path has fewer.
        public let path: [Move]
        /// The sentences of the flow's invariants that do not hold in the situation.
        public var brokenInvariants: [String] { breaches.map(\.sentence) }
        let breaches: [InvariantBreach]
    }

    /// A move that leads from a situation to a different situation, or back to the same situation. The situations and edges
    /// form a graph.
    public struct Edge {
        /// The index, in `situations`, of the situation before the move.
        public let from: Int
        /// The index, in `situations`, of the situation after the move.
        public let to: Int
        public let move: Move
        /// For how long the move waited in virtual time; zero for an event.
        public let duration: Duration
        /// The transitions that followed from the move.
        public let transitions: [NamedTransition]
    }

    /// A transition of the flow, by names: from a state, on an event or signal, to a state.
    public struct NamedTransition: Hashable, Sendable {
        public let from: String
        public let on: String
        public let to: String

        init(from: String, on: String, to: String) {
            (self.from, self.on, self.to) = (from, on, to)
        }

        /// Nil if the step is not a transition: the opening, a deferred or dropped event, or an operator's command.
        init?(_ step: Step) {
            guard step.kind == .enter || step.kind == .keep, let from = step.from, let to = step.to,
                let event = step.event
            else { return nil }
            self.init(from: from.state, on: event.name, to: to.state)
        }
    }

    public let flow: AnyFlow
    /// The situations in the order in which they were found; the first is the initial one.
    public private(set) var situations: [Situation] = []
    /// How many of the situations were examined: each move was tried in them. They are the first ones of `situations`.
    public private(set) var examinedCount = 0
    public private(set) var edges: [Edge] = []
    /// Whether each situation that was found was examined. False if the search ended at its limit of moves, or if a wait reached
    /// the limit of firings (`Trial.firingLimit`).
    public private(set) var isComplete = true
    /// Whether the search ended before its limit, because its question was answered.
    private(set) var isAnswered = false
    /// The moves that lead to the first visit of each state, by the state's name. The visit may have ended at once, because a
    /// posted event led on. No other path that was found has fewer moves.
    private(set) var arrivals: [String: [Move]] = [:]
    /// The events that posted more events than a session handles in one run, each with the state in which it was sent.
    private(set) var endlessPosts: [(state: String, event: String)] = []
    /// The signals of the timers that were set in a visit of each state, by the state's name.
    private(set) var timers: [String: Set<String>] = [:]

    /// The rows that this search took, of those that it looks for.
    private(set) var takenRows: Set<FlowOutline.Row> = []
    /// The rows that this search looks for, and has not taken yet.
    private var missingRows: Set<FlowOutline.Row>

    /// The index of each situation in `situations`.
    private var indexByKey: [Trial.SituationKey: Int] = [:]
    /// The moves of the search. The searches that use the exploration make further moves.
    let budget: SearchBudget
    /// Whether a move drew more random values than are tried.
    private var reachedDrawLimit = false
    /// Whether the time that a timer had left may have decided what happened.
    private var dependsOnTime = false
    /// Whether a state that was found has a timer that fires at a time of day.
    private(set) var hasTimesOfDay = false
    /// Whether the time of day at which a state is entered may decide which of its timers fires first. The search enters each state
    /// at 00:00.
    private var dependsOnTimeOfDay = false

    /// Explores the flow, which must have no mistakes (`AnyFlow.mistakes`). The search ends after `moves` moves.
    public init(_ flow: AnyFlow, moves: Int = SearchLimit.lintMoves.maximum) {
        self.init(flow, SearchBudget(.lintMoves, moves))
    }

    /// Looks for rows of a flow file, too; with `onlyRows`, the search ends when it has taken them. After each `questionMoves` moves,
    /// it ends if `isAnswered` returns true.
    init(
        _ flow: AnyFlow, _ budget: SearchBudget, lookingFor rows: Set<FlowOutline.Row> = [],
        onlyRows: Bool = false, questionMoves: Int = Int.max,
        isAnswered: (Exploration) -> Bool = { _ in false }
    ) {
        (self.flow, self.budget) = (flow, budget)
        missingRows = rows
        var nextQuestion = questionMoves
        let opening = Trial(flow)
        addArrivals(opening.steps, [])
        _ = index(of: opening, after: [])
        finish(opening)
        let sends = Move.sends(of: flow)
        while examinedCount < situations.count, !self.isAnswered,
            !(onlyRows && missingRows.isEmpty), examine(examinedCount, sends)
        {
            examinedCount += 1
            guard budget.used >= nextQuestion else { continue }
            nextQuestion += questionMoves
            self.isAnswered = isComplete && isAnswered(self)
        }
        if examinedCount < situations.count { isComplete = false }
        if let isKnown = flow.searchModel.dependsOnTime { dependsOnTime = dependsOnTime || isKnown }
    }

    /// Tries all moves in the situation with the index `start`. Returns false if the moves are used up before the last one.
    private mutating func examine(_ start: Int, _ sends: [Move]) -> Bool {
        let path = situations[start].path
        let firstTrial = Trial(flow, after: path)
        var unchangedTrial: Trial? = firstTrial
        var moves = Array((sends + firstTrial.waits).reversed())
        while let move = moves.popLast() {
            if budget.isSpent { return false }
            let trial = unchangedTrial ?? Trial(flow, after: path)
            let isMade = make(move, at: start, after: path, trial)
            if let script = flow.drawScript, !script.counts.isEmpty {
                moves += otherDraws(of: move, script)
            }
            // An event that is refused changes nothing, so the next move can be made on the same session.
            let isUnchanged = !isMade && move.isSend
            if !isUnchanged { finish(trial) }
            unchangedTrial = isUnchanged ? trial : nil
        }
        if let unchangedTrial { finish(unchangedTrial) }
        return true
    }

    /// The same move with the other outcomes of each draw that the move had beyond its given outcomes.
    private mutating func otherDraws(of move: Move, _ script: DrawScript) -> [Move] {
        if script.counts.count > DrawScript.drawLimit {
            (isComplete, reachedDrawLimit) = (false, true)
        }
        return script.others(than: move.outcomes).map { .drawing($0, move.drawnMove) }.reversed()
    }

    /// Makes a move in the situation with the index `start`, to which `path` leads. Adds the edge and, if the move leads to a
    /// new situation, the situation. Adds nothing and returns false if the session refuses the move.
    private mutating func make(_ move: Move, at start: Int, after path: [Move], _ trial: Trial)
        -> Bool
    {
        guard let completed = trial.make(move) else { return false }
        let state = situations[start].place.state
        if trial.refusals.contains(.tooManyPosts), let event = move.event,
            !endlessPosts.contains(where: { $0 == (state, event) })
        {
            endlessPosts.append((state, event))
        }
        addArrivals(completed.steps, path + [move])
        addRows(completed.steps)
        edges.append(
            Edge(
                from: start, to: index(of: trial, after: path + [move]), move: move,
                duration: completed.duration,
                transitions: completed.steps.compactMap { NamedTransition($0) }))
        return true
    }

    /// Counts the moves of a trial that ends.
    private mutating func finish(_ trial: Trial) {
        budget.use(trial.moveCount)
        if trial.reachedFiringLimit { isComplete = false }
        if trial.changesWithTime { dependsOnTime = true }
        // What a flow file reads is known, and most reads decide nothing.
        if flow.searchModel.dependsOnTime == nil, trial.hasUsedTimers { dependsOnTime = true }
    }

    /// Records the rows that the steps of a move took and that are looked for.
    private mutating func addRows(_ steps: [Step]) {
        if missingRows.isEmpty { return }
        for step in steps {
            if let row = FlowOutline.Row(step, in: flow), missingRows.remove(row) != nil {
                takenRows.insert(row)
            }
        }
    }

    /// Records the states that the steps of a move visit; `path` leads to the end of the move.
    private mutating func addArrivals(_ steps: [Step], _ path: [Move]) {
        for step in steps {
            if let state = step.to?.state, arrivals[state] == nil { arrivals[state] = path }
        }
    }

    /// Returns the index of the trial's situation, and adds the situation if it is new.
    private mutating func index(of trial: Trial, after path: [Move]) -> Int {
        let key = trial.situation
        if let index = indexByKey[key] { return index }
        indexByKey[key] = situations.count
        let liveTimers = trial.machine.liveTimers
        timers[key.place.state, default: []].formUnion(liveTimers.map(\.fires))
        if liveTimers.contains(where: { $0.info.kind == .until }) {
            hasTimesOfDay = true
            if liveTimers.count(where: \.info.canFire) > 1 { dependsOnTimeOfDay = true }
        }
        situations.append(
            Situation(
                place: trial.machine.place, path: path,
                breaches: trial.machine.breaches))
        return situations.count - 1
    }

    /// The index of the trial's situation; nil if this exploration did not find it.
    func index(of trial: Trial) -> Int? { indexByKey[trial.situation] }

    /// For each invariant that does not hold somewhere, the first situation in which it does not hold. The search finds situations
    /// with short paths first, so no other situation in which the invariant does not hold has a shorter path.
    var brokenInvariants: [(breach: InvariantBreach, situation: Situation)] {
        var reported: Set<Int> = []
        return situations.flatMap { situation in
            situation.breaches.filter { reported.insert($0.index).inserted }.map {
                ($0, situation)
            }
        }
    }

    /// The names of the states that were visited.
    public var states: Set<String> { Set(arrivals.keys) }

    // MARK: what was not searched

    /// Whether a session can reach no other situation: the search is complete, and neither other arguments of the events nor
    /// other moments, times of day or settings can lead elsewhere. Only then the search proves that something cannot happen.
    var isExhaustive: Bool {
        isComplete && !dependsOnTime && !dependsOnTimeOfDay && flow.drawScript?.leavesOut != true
            && !hasSettings && flow.searchModel.trials.allSatisfy(\.isExhaustive)
    }

    /// Whether the flow has settings that may decide what happens; the language of the screens decides nothing.
    private var hasSettings: Bool { flow.settings.contains { $0.name != "language" } }

    /// Why the search does not prove that something cannot happen, as a clause.
    var whyNotExhaustive: String {
        if !isComplete { return "the search is incomplete" }
        if flow.drawScript?.leavesOut == true { return "not every random value was tried" }
        let names = zip(flow.events, flow.searchModel.trials).filter { !$1.isExhaustive }
            .map(\.0.name)
        guard names.isEmpty else {
            let list = names.joined(separator: ", ")
            return "not every argument of \(list) was tried"
        }
        if dependsOnTime {
            return "what happens depends on the time, and not every moment was tried"
        }
        return dependsOnTimeOfDay
            ? "which timer fires first depends on the time of day, and each state was entered at 00:00"
            : "other values of the settings were not tried"
    }

    /// The names of the events whose ranges of arguments have too many values to be tried whole.
    public var eventsNotTriedWhole: [String] {
        zip(flow.events, flow.searchModel.trials).filter { !$1.hasWholeRanges }.map(\.0.name)
    }

    /// What was not searched, as a sentence; nil if the search is complete.
    var incompleteness: String? {
        if isComplete || isAnswered { return nil }
        guard examinedCount < situations.count else {
            if reachedDrawLimit {
                return
                    "of the random values that a move drew, only the first \(DrawScript.drawLimit) were varied"
            }
            return "a wait was given up after \(Trial.firingLimit) timers had fired"
        }
        let datum = datumWithMostValues.map {
            "; most values (\($0.count)) has \($0.name) of \($0.state)"
        }
        return "the search ended after \(budget.maximum) moves (limit: \(budget.limit.rawValue)): "
            + "\(situations.count) situations were found, and \(situations.count - examinedCount) "
            + "of them were not tried\(datum ?? "")"
    }

    /// The datum that has the most different values in the situations.
    private var datumWithMostValues: (state: String, name: String, count: Int)? {
        var values: [String: [String: Set<Value>]] = [:]
        for key in indexByKey.keys {
            for datum in key.place.data {
                values[key.place.state, default: [:]][datum.name, default: []].insert(datum.value)
            }
        }
        let counts = values.flatMap { state, data in
            data.map { (state: state, name: $0.key, count: $0.value.count) }
        }
        return counts.max { ($0.count, $1.state, $1.name) < ($1.count, $0.state, $0.name) }
    }
}

/// The moves that a search may make; see `SearchLimit`.
final class SearchBudget {
    let limit: SearchLimit
    /// The greatest number of moves.
    let maximum: Int
    /// The number of moves that were made.
    private(set) var used = 0

    init(_ limit: SearchLimit, _ maximum: Int? = nil) {
        (self.limit, self.maximum) = (limit, maximum ?? limit.maximum)
    }

    var isSpent: Bool { used >= maximum }

    func use(_ moves: Int) { used += moves }
}
