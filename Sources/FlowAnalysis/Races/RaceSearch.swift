internal import GameFlow
internal import Timers

/// The search that `Races` runs.
struct RaceSearch {
    private let exploration: Exploration
    private let paths: Paths
    private(set) var races: [Race] = []
    /// How many instants were examined, and how many orders were tried.
    private(set) var examined = (instants: 0, orders: 0)
    /// False if the search stopped at `Exploration.budget`.
    private(set) var isComplete = true
    /// The number of moves and timer firings that the search made.
    private(set) var cost = 0
    /// The keys of the races found so far, so that the same race on a longer path is not reported again.
    private var keysOfRaces: Set<String> = []

    init(_ exploration: Exploration) {
        self.exploration = exploration
        paths = Paths(exploration)
    }

    mutating func run() {
        let quickestPaths = exploration.situations.indices.compactMap { paths.quickest(to: $0) }
            .sorted { ($0.time, $0.steps) < ($1.time, $1.steps) }
        for path in quickestPaths {
            examine(path)
            guard cost <= Exploration.budget else {
                isComplete = false
                return
            }
        }
    }

    /// Tries each instant at which a timer is due while the state at the path's end lasts. Instants with the
    /// same timers are tried once.
    private mutating func examine(_ path: Paths.Path) {
        let trial = Trial(exploration.flow, after: path.moves.map(\.move))
        let (start, entry) = (trial.time.now, trial.entryCount)
        defer { cost += trial.firings }
        // For each instant that was tried, the signals that are due at it.
        var triedSignals: Set<[String]> = []
        var phases: Set<[Int64]> = []
        for _ in 0..<Trial.firingLimit {
            if hasOnlyTriedBeats(trial, triedSignals) { trial.skipBeats() }
            guard trial.entryCount == entry, let next = trial.time.timerQueue.next else { break }
            // Pendulums alone repeat for ever; stop when their phases repeat.
            guard trial.hasCountdown || phases.insert(trial.phase).inserted else { break }
            let due = trial.due(at: next)
            // A timer that is due at the instant of entry is not tried, because it cannot be paused one nanosecond before.
            if next > start, triedSignals.insert(due).inserted {
                examined.instants += 1
                attempt(due, TestPoint(path: path, after: next - start))
            }
            // Fire the other timers of the same instant, unless the state is left.
            for _ in due where trial.entryCount == entry && trial.time.timerQueue.next == next {
                _ = trial.fireNext()
            }
        }
    }

    /// Whether a countdown is set, and until it is due only one pendulum fires, whose beats change nothing and were tried.
    private func hasOnlyTriedBeats(_ trial: Trial, _ triedSignals: Set<[String]>) -> Bool {
        guard trial.hasCountdown, trial.hasOneIdlePendulum else { return false }
        return trial.time.pending.contains {
            $0.isPendulum && triedSignals.contains([exploration.flow.signalName($0.tag)])
        }
    }

    /// The instant at which the orders are tried: the time `after` has passed since the end of `path`.
    private struct TestPoint {
        let path: Paths.Path
        let after: Duration

        var moves: [Move] { path.moves.map(\.move) }
    }

    /// Tries the orders of the timers that are due, and then the orders of these timers with each event.
    private mutating func attempt(_ due: [String], _ point: TestPoint) {
        let timers = due.prefix(Races.limit).map { Race.Contender.timer($0) }
        compare(timers, point)
        for event in Move.sends(of: exploration.flow) { compare(timers + [.event(event)], point) }
    }

    /// Compares the daemon's order with others: first with each pair swapped, then, if no pair makes a
    /// difference, with all permutations. An event that every order refuses takes no part.
    private mutating func compare(_ contenders: [Race.Contender], _ point: TestPoint) {
        guard contenders.count > 1, let standard = run(contenders, point) else { return }
        let event = contenders.last?.isTimer == true ? nil : contenders.last
        var isRace = false
        for (index, first) in contenders.enumerated() {
            // With an event, only pairs with it are swapped: pairs of timers were compared without the event.
            for second in contenders[(index + 1)...] where event == nil || second == event {
                let order = Self.moving(second, before: first, in: contenders)
                guard let swapped = run(order, point) else { continue }
                isRace = add([standard, swapped], of: [first, second], event, point) || isRace
            }
        }
        guard !isRace, contenders.count > 2 else { return }
        let others = Self.orders(of: contenders).dropFirst().compactMap { run($0, point) }
        _ = add([standard] + others, of: contenders, event, point)
    }

    private mutating func run(_ order: [Race.Contender], _ point: TestPoint) -> Race.OrderOutcome? {
        examined.orders += 1
        let trial = Trial(exploration.flow, after: point.moves)
        defer { cost += trial.firings + point.moves.count + 1 }
        return trial.run(order, after: point.after)
    }

    /// Adds a race if the outcomes differ. Returns whether they differ. `event` is the event among the contenders, if there is
    /// one.
    private mutating func add(
        _ outcomes: [Race.OrderOutcome], of contenders: [Race.Contender], _ event: Race.Contender?,
        _ point: TestPoint
    ) -> Bool {
        if let event, outcomes.allSatisfy({ $0.losers.contains(event) }) { return false }
        let first = outcomes[0]
        guard outcomes.contains(where: { !$0.endsLike(first) || $0.effects != first.effects })
        else { return false }
        let state = point.path.moves.last?.place.state ?? exploration.flow.initial
        let race = Race(
            state: state, path: point.path.moves, after: point.after, contenders: contenders,
            outcomes: outcomes)
        if keysOfRaces.insert(Self.key(race)).inserted { races.append(race) }
        return true
    }

    /// The race's key: two races with the same state, orders and states after the orders have the same key.
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
    func due(at instant: Instant) -> [String] {
        time.pending.filter { $0.deadline == instant }.map { flow.signalName($0.tag) }
    }

    /// Whether a countdown is set.
    var hasCountdown: Bool { time.pending.contains { !$0.isPendulum } }

    /// The time left on each timer, in nanoseconds. If only pendulums are set, a phase that comes again repeats for ever.
    var phase: [Int64] { time.pending.map(\.remaining.nanoseconds) }

    /// Advances the clock by `after`, and there runs the contenders in `order`. Nil if the state does not
    /// last until then.
    ///
    /// The timers that are due are paused one nanosecond before, so that none fires by itself. When a timer's
    /// turn comes, it is resumed and fires one nanosecond later. No clock shows a nanosecond and no flow can notice it.
    func run(_ order: [Race.Contender], after: Duration) -> Race.OrderOutcome? {
        let (instant, entry) = (time.now + after, entryCount)
        let nanosecond = Duration.nanoseconds(1)
        wait(after + Duration.nanoseconds(-1))
        guard entryCount == entry, time.now + nanosecond == instant else { return nil }
        var timers: [String: TimerID] = [:]
        for timer in machine.liveTimers where timer.info.deadline == instant {
            timers[timer.fires] = timer.id
            time.timerQueue.pause(timer.id)
        }
        wait(nanosecond)
        clearSteps()
        var losers: [Race.Contender] = []
        for contender in order where !run(contender, timers) { losers.append(contender) }
        return Race.OrderOutcome(
            order: order, place: machine.place, effects: steps.flatMap { $0.effects.map(\.name) },
            losers: losers, deferred: machine.deferredCount)
    }

    /// Fires the timer or sends the event. Returns whether the session took it.
    private func run(_ contender: Race.Contender, _ timers: [String: TimerID]) -> Bool {
        switch contender {
        case .timer(let signal):
            guard let id = timers[signal], time.timerQueue.info(id) != nil else { return false }
            let refusalsBefore = refusals.count
            time.timerQueue.resume(id)
            wait(Duration.nanoseconds(1))
            return refusals.count == refusalsBefore
        case .event(.send(let event, let arguments)): return refusal(of: event, arguments) == nil
        case .event(.wait), .event(.linger): return false
        }
    }
}
