internal import GameFlow
internal import Timers

/// The search itself.
struct RaceSearch {
    private let exploration: Exploration
    private let paths: Paths
    private(set) var races: [Race] = []
    private(set) var looked = (instants: 0, orders: 0)
    /// Whether nothing was given up on the way.
    private(set) var isComplete = true
    private var spent = 0
    /// What was compared already, in a state: the same contenders need not be tried again where they
    /// lead to the same.
    private var seen: Set<String> = []

    init(_ exploration: Exploration) {
        self.exploration = exploration
        paths = Paths(exploration)
    }

    mutating func run() {
        let order = exploration.situations.indices.compactMap { paths.quickest(to: $0) }
            .sorted { ($0.time, $0.steps) < ($1.time, $1.steps) }
        for path in order {
            look(after: path)
            guard spent <= Exploration.budget else {
                isComplete = false
                return
            }
        }
    }

    /// Each instant at which something is due while the state lasts, the first of its kind.
    private mutating func look(after path: Paths.Path) {
        let trial = Trial(exploration.flow, after: path.legs.map(\.move))
        let (start, entry) = (trial.time.now, trial.entries)
        defer { spent += trial.firings }
        var (instants, phases): (Set<[String]>, Set<[Int64]>) = ([], [])
        for _ in 0..<Trial.patience {
            guard trial.entries == entry, let next = trial.time.timerQueue.next else { break }
            // Pendulums alone go round for ever: once they stand as before, all was seen.
            guard trial.hasCountdown || phases.insert(trial.phase).inserted else { break }
            let due = trial.due(at: next)
            // What is due at once, as it is entered, cannot be stopped before: it is not tried.
            if next > start, instants.insert(due).inserted {
                looked.instants += 1
                attempt(due, Instant(path: path, after: next - start))
            }
            // The others of the same instant come with it, unless it ends them.
            for _ in due where trial.entries == entry && trial.time.timerQueue.next == next {
                _ = trial.fireNext()
            }
        }
    }

    /// Where the orders are tried.
    private struct Instant {
        let path: Paths.Path
        let after: Duration

        var moves: [Move] { path.legs.map(\.move) }
    }

    /// The timers among themselves, and with each event: first whether it matters which of two comes
    /// first, and every order of them all only where no two make the difference.
    private mutating func attempt(_ due: [String], _ instant: Instant) {
        let timers = due.prefix(Races.limit).map { Race.Contender.timer($0) }
        compare(timers, instant)
        for event in Move.sends(of: exploration.flow) { compare(timers + [.event(event)], instant) }
    }

    /// Compares what holds, the order in which they stand, with others. An event that is taken in none
    /// was never in the race.
    private mutating func compare(_ all: [Race.Contender], _ instant: Instant) {
        guard all.count > 1, let holds = run(all, instant) else { return }
        let event = all.last?.isTimer == true ? nil : all.last
        var isRace = false
        for (place, first) in all.enumerated() {
            for second in all[(place + 1)...] where event == nil || second == event {
                guard let other = run(Self.moving(second, before: first, in: all), instant) else {
                    continue
                }
                isRace = note([holds, other], of: [first, second], event, instant) || isRace
            }
        }
        guard !isRace, all.count > 2 else { return }
        let others = Self.orders(of: all).dropFirst().compactMap { run($0, instant) }
        _ = note([holds] + others, of: all, event, instant)
    }

    private mutating func run(_ order: [Race.Contender], _ instant: Instant) -> Race.Outcome? {
        looked.orders += 1
        let trial = Trial(exploration.flow, after: instant.moves)
        defer { spent += trial.firings + instant.moves.count + 1 }
        return trial.run(order, after: instant.after)
    }

    /// Keeps what came of the orders, if it is a race; whether it is.
    private mutating func note(
        _ outcomes: [Race.Outcome], of contenders: [Race.Contender], _ event: Race.Contender?,
        _ instant: Instant
    ) -> Bool {
        if let event, outcomes.allSatisfy({ $0.losers.contains(event) }) { return false }
        let first = outcomes[0]
        guard outcomes.contains(where: { !$0.endsLike(first) || $0.effects != first.effects })
        else { return false }
        let state = instant.path.legs.last?.place.state ?? exploration.flow.initial
        let race = Race(
            state: state, path: instant.path.legs, after: instant.after, contenders: contenders,
            outcomes: outcomes)
        if seen.insert(Self.kind(race)).inserted { races.append(race) }
        return true
    }

    /// What makes two races one: the state, who takes part, and which states it can end in.
    private static func kind(_ race: Race) -> String {
        let ends = race.outcomes.map { "\($0.order.map(\.name)) \($0.place.state)" }
        return "\(race.state) \(ends) \(race.isOnlyEffects)"
    }

    private static func moving(
        _ second: Race.Contender, before first: Race.Contender, in all: [Race.Contender]
    ) -> [Race.Contender] {
        all.flatMap { contender -> [Race.Contender] in
            if contender == second { return [] }
            return contender == first ? [second, first] : [contender]
        }
    }

    /// All orders, the one that holds first: as they stand.
    private static func orders(of contenders: [Race.Contender]) -> [[Race.Contender]] {
        guard contenders.count > 1 else { return [contenders] }
        return contenders.indices.flatMap { place in
            var rest = contenders
            let first = rest.remove(at: place)
            return orders(of: rest).map { [first] + $0 }
        }
    }
}
