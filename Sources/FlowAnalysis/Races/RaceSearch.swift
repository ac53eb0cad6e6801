internal import GameFlow
internal import Timers

/// The search that `Races` runs: it examines each situation of an exploration. All trials are made on new sessions in virtual
/// time.
struct RaceSearch {
    private let exploration: Exploration
    private let paths: Paths
    private(set) var races: [Race] = []
    /// For each invariant that did not hold, the first situation or order that was found.
    private(set) var brokenInvariants: [BrokenInvariant] = []
    /// The indices of these invariants.
    private var reportedInvariants: Set<Int> = []
    /// How many instants were examined, and how many orders were tried.
    private(set) var examined = (instants: 0, orders: 0)
    /// How many situations were not examined, because the moves were used up.
    private(set) var unexaminedCount = 0
    /// Whether a session's wait was given up; see `Trial.firingLimit`.
    private(set) var reachedFiringLimit = false
    /// The moves that the search may make.
    private let budget: SearchBudget
    /// The keys of the races found so far; see `key`. If a race is found again on a longer path, its key is the same, and the
    /// race is not reported again.
    private var keysOfRaces: Set<String> = []

    init(_ exploration: Exploration, _ budget: SearchBudget) {
        (self.exploration, self.budget) = (exploration, budget)
        paths = Paths(exploration)
    }

    mutating func run() {
        for (breach, situation) in exploration.brokenInvariants {
            guard let path = paths.walk(situation.path) else { continue }
            report([breach], situation.place, path.moves)
        }
        let quickestPaths = exploration.situations.indices.compactMap { index -> Paths.Path? in
            if budget.isSpent { return nil }
            let path = paths.quickest(to: index)
            budget.use(2 * (path?.moveCount ?? 1))  // two paths are walked
            return path
        }.sorted { ($0.time, $0.moveCount) < ($1.time, $1.moveCount) }
        var examinedCount = 0
        for path in quickestPaths where !budget.isSpent {
            examine(path)
            if !budget.isSpent { examinedCount += 1 }
        }
        unexaminedCount = exploration.situations.count - examinedCount
    }

    /// Tries each instant at which a timer is due, from the path's end until the state there is left. Of several instants with
    /// the same due timers, only the first is tried.
    private mutating func examine(_ path: Paths.Path) {
        // This trial only finds the instants; other trials, in `run`, try the orders.
        let trial = Trial(exploration.flow, after: path.moves.map(\.move))
        let (start, entriesBefore) = (trial.clock.now, trial.entryCount)
        defer {
            budget.use(trial.moveCount)
            if trial.reachedFiringLimit { reachedFiringLimit = true }
        }
        // For each instant that was tried, the signals that are due at that instant.
        var triedSignals: Set<[String]> = []
        var phases: Set<[Int64]> = []
        for _ in 0..<Trial.firingLimit where !budget.isSpent {
            if hasOnlyTriedBeats(trial, triedSignals) { trial.skipBeats() }
            guard trial.entryCount == entriesBefore, let next = trial.clock.timerQueue.next else {
                break
            }
            // If only pendulums are set, all following instants repeat as soon as a phase (the time left on each timer)
            // repeats.
            guard trial.hasCountdown || phases.insert(trial.phase).inserted else { break }
            let dueSignals = trial.dueSignals(at: next)
            // A timer that is due at the path's end is not tried, because it cannot be paused one nanosecond before.
            if next > start, triedSignals.insert(dueSignals).inserted {
                examined.instants += 1
                tryOrders(of: dueSignals, at: TestPoint(path: path, after: next - start))
            }
            // Fires the timers of this instant, until the state is left.
            for _ in dueSignals
            where trial.entryCount == entriesBefore && trial.clock.timerQueue.next == next {
                _ = trial.fireNext()
            }
        }
    }

    /// Whether the trial can skip beats: a countdown and exactly one pendulum are set, and the pendulum's beats change nothing
    /// and have been tried.
    private func hasOnlyTriedBeats(_ trial: Trial, _ triedSignals: Set<[String]>) -> Bool {
        guard trial.hasCountdown, trial.hasOneIdlePendulum else { return false }
        return trial.clock.pending.contains {
            $0.isPendulum && triedSignals.contains([exploration.flow.signalName($0.tag)])
        }
    }

    /// The instant at which the orders are tried: the time `after` has passed since the end of `path`.
    private struct TestPoint {
        let path: Paths.Path
        let after: Duration

        var moves: [Move] { path.moves.map(\.move) }
    }

    /// Tries the orders of the due timers. Then tries, for each event, the orders of these timers and the event. `dueSignals`
    /// are the signals of the due timers.
    private mutating func tryOrders(of dueSignals: [String], at point: TestPoint) {
        let timers = dueSignals.prefix(Races.timerLimit).map { Race.Contender.timer($0) }
        compare(timers, point)
        for event in Move.sends(of: exploration.flow) where !budget.isSpent {
            compare(timers + [.event(event)], point)
        }
    }

    /// Compares the daemon's order, in which `contenders` are given, with other orders. First each pair is swapped. If no swap
    /// makes a difference, all permutations are tried. An event that is refused in every order makes no race.
    private mutating func compare(_ contenders: [Race.Contender], _ point: TestPoint) {
        guard contenders.count > 1,
            let daemonOutcome = run(contenders, point, isDaemonOrder: true)
        else { return }
        let event = contenders.last?.isTimer == true ? nil : contenders.last
        var isRace = false
        for (index, first) in contenders.enumerated() {
            // With an event, only pairs that contain the event are swapped: pairs of timers were compared without the event.
            for second in contenders[(index + 1)...] where event == nil || second == event {
                let order = Self.moving(second, before: first, in: contenders)
                guard let swapped = run(order, point) else { continue }
                let differs = add([daemonOutcome, swapped], of: [first, second], event, point)
                isRace = differs || isRace
            }
        }
        guard !isRace, contenders.count > 2 else { return }
        let others = Self.orders(of: contenders).dropFirst().compactMap { run($0, point) }
        _ = add([daemonOutcome] + others, of: contenders, event, point)
    }

    /// Runs the contenders in `order` on a new session. Nil if the state does not last until the point.
    private mutating func run(
        _ order: [Race.Contender], _ point: TestPoint, isDaemonOrder: Bool = false
    ) -> Race.OrderOutcome? {
        examined.orders += 1
        let trial = Trial(exploration.flow, after: point.moves)
        defer { budget.use(trial.moveCount) }
        guard
            let outcome = trial.run(order, after: point.after, isDaemonOrder: isDaemonOrder)
        else { return nil }
        report(
            outcome.breaches, outcome.place, point.path.moves, after: point.after, order)
        return outcome
    }

    /// Adds invariants to `brokenInvariants`, except those that are there already.
    private mutating func report(
        _ breaches: [InvariantBreach], _ place: StateRecord, _ path: [CompletedMove],
        after: Duration = .zero, _ order: [Race.Contender] = []
    ) {
        for breach in breaches where reportedInvariants.insert(breach.index).inserted {
            brokenInvariants.append(
                BrokenInvariant(
                    sentence: breach.sentence, place: place, path: path, after: after, order: order)
            )
        }
    }

    /// Adds a race if the outcomes differ. Returns whether they differ. `event` is the event among the contenders, if there is
    /// one.
    private mutating func add(
        _ outcomes: [Race.OrderOutcome], of contenders: [Race.Contender], _ event: Race.Contender?,
        _ point: TestPoint
    ) -> Bool {
        if let event, outcomes.allSatisfy({ $0.losers.contains(event) }) { return false }
        let daemonOutcome = outcomes[0]
        guard
            outcomes.contains(where: {
                !$0.endsLike(daemonOutcome, exploration.flow)
                    || $0.effects != daemonOutcome.effects
            })
        else { return false }
        let state = point.path.moves.last?.place.state ?? exploration.flow.initial
        let race = Race(
            state: state, path: point.path.moves, after: point.after, contenders: contenders,
            outcomes: outcomes,
            isOnlyEffects: outcomes.allSatisfy { $0.endsLike(daemonOutcome, exploration.flow) })
        if keysOfRaces.insert(Self.key(race)).inserted { races.append(race) }
        return true
    }

    /// The key of a race. Two races have the same key if they agree in the state, in the orders, in the state after each order,
    /// and in `isOnlyEffects`.
    private static func key(_ race: Race) -> String {
        let ends = race.outcomes.map { "\($0.order.map(\.name)) \($0.place.state)" }
        return "\(race.state) \(ends) \(race.isOnlyEffects)"
    }

    /// Returns the contenders with `second` directly before `first`.
    private static func moving(
        _ second: Race.Contender, before first: Race.Contender,
        in contenders: [Race.Contender]
    ) -> [Race.Contender] {
        contenders.flatMap { contender -> [Race.Contender] in
            if contender == second { return [] }
            return contender == first ? [second, first] : [contender]
        }
    }

    /// All permutations; the first is the given order.
    private static func orders(of contenders: [Race.Contender]) -> [[Race.Contender]] {
        guard contenders.count > 1 else { return [contenders] }
        return contenders.indices.flatMap { index in
            var others = contenders
            let first = others.remove(at: index)
            return orders(of: others).map { [first] + $0 }
        }
    }
}

/// Runs contenders at one instant in a chosen order.
extension Trial {
    /// The signals of the timers that are due at an instant, in the order in which they fire.
    func dueSignals(at instant: Instant) -> [String] {
        clock.pending.filter { $0.deadline == instant }.map { flow.signalName($0.tag) }
    }

    /// Whether a countdown is set that will fire.
    var hasCountdown: Bool { clock.pending.contains { $0.isPendingCountdown && !$0.isPaused } }

    /// The time left on each timer, in nanoseconds. If only pendulums are set, all firings after a phase repeat when the same
    /// phase comes again.
    var phase: [Int64] {
        clock.pending.filter { $0.deadline != nil }.map(\.remaining.nanoseconds)
    }

    /// Advances the clock by `after` and then handles the contenders in `order`. Nil if the state is left before `after` has
    /// passed.
    ///
    /// One nanosecond before timers are due, these timers are paused, so that no timer fires by itself. When a timer's turn
    /// comes, the timer is resumed and fires one nanosecond later. Times are shown in milliseconds, and no flow depends on a
    /// nanosecond, so the delay changes no result.
    ///
    /// In the daemon's order, the timers among the contenders fire by themselves and are not paused. A row of one of them may read,
    /// pause or set another one, which then is as it is in the daemon.
    func run(_ order: [Race.Contender], after: Duration, isDaemonOrder: Bool = false)
        -> Race.OrderOutcome?
    {
        let (instant, entriesBefore) = (clock.now + after, entryCount)
        let nanosecond = Duration.nanoseconds(1)
        wait(after + Duration.nanoseconds(-1))
        guard entryCount == entriesBefore, clock.now + nanosecond == instant else { return nil }
        var timers: [String: TimerID] = [:]
        for timer in machine.liveTimers
        where timer.info.deadline == instant
            && !(isDaemonOrder && order.contains(.timer(timer.fires)))
        {
            timers[timer.fires] = timer.id
            clock.timerQueue.pause(timer.id)
        }
        clearSteps()
        wait(nanosecond)
        var losers: [Race.Contender] = []
        for contender in order {
            let isTaken =
                isDaemonOrder && contender.isTimer
                ? steps.contains { $0.event?.name == contender.name } : run(contender, timers)
            if !isTaken { losers.append(contender) }
        }
        return Race.OrderOutcome(
            order: order, place: machine.place, effects: steps.flatMap { $0.effects.map(\.name) },
            losers: losers, deferred: machine.deferredCount,
            breaches: machine.breaches)
    }

    /// Fires the timer or sends the event. Returns whether the session took the signal or the event. `timers` are the paused
    /// timers by their signals.
    private func run(_ contender: Race.Contender, _ timers: [String: TimerID]) -> Bool {
        switch contender {
        case .timer(let signal):
            guard let id = timers[signal], clock.timerQueue.info(id) != nil else { return false }
            let refusalsBefore = refusals.count
            clock.timerQueue.resume(id)
            wait(Duration.nanoseconds(1))
            return refusals.count == refusalsBefore
        case .event(.send(let event, let arguments)): return send(event, arguments) == nil
        // A contender's move is always `send`.
        case .event(.wait), .event(.linger), .event(.drawing): return false
        }
    }
}
