public import GameFlow
internal import JSON
internal import Timers

/// Looks for races: in every situation of a flow it lets time alone go on, stops at each instant at
/// which a timer is due, and tries every order of what is due there and of one event that arrives then.
public struct Races {
    public let flow: AnyFlow
    /// Where the outcome depends on the order; those that end differently come first.
    public let found: [Race]
    /// How many instants were looked at, and how many orders were tried.
    public private(set) var looked = (instants: 0, orders: 0)

    /// How many timers of one instant are tried in every order; with more, the first of them.
    public static let limit = 4

    public init(_ flow: AnyFlow) { self.init(Exploration(flow)) }

    public init(_ exploration: Exploration) {
        flow = exploration.flow
        var search = RaceSearch(exploration)
        search.run()
        found = search.races.filter { !$0.isOnlyEffects } + search.races.filter(\.isOnlyEffects)
        looked = search.looked
    }
}

/// The search itself.
struct RaceSearch {
    private let exploration: Exploration
    private let paths: Paths
    private(set) var races: [Race] = []
    private(set) var looked = (instants: 0, orders: 0)
    /// What was compared already, in a state: the same contenders need not be tried again where they
    /// lead to the same.
    private var seen: Set<String> = []

    init(_ exploration: Exploration) {
        self.exploration = exploration
        paths = Paths(exploration)
    }

    mutating func run() {
        let order = exploration.situations.map { (situation: $0, path: paths.walk($0.path)) }
            .sorted { ($0.path!.time, $0.path!.steps) < ($1.path!.time, $1.path!.steps) }
        for (situation, path) in order { look(at: situation, path!) }
    }

    /// Each instant at which something is due while the state lasts, the first of its kind.
    private mutating func look(at situation: Exploration.Situation, _ path: Paths.Path) {
        let trial = Trial(exploration.flow, after: situation.path)
        let (start, entry) = (trial.time.now, trial.entries)
        var instants: Set<[String]> = []
        for _ in 0..<Trial.patience {
            guard trial.entries == entry, let next = trial.time.agenda.next else { break }
            let due = trial.due(at: next)
            if instants.insert(due).inserted {
                looked.instants += 1
                attempt(due, in: situation, path, after: next - start)
            }
            // The others of the same instant come with it, unless it ends them.
            for _ in due where trial.entries == entry && trial.time.agenda.next == next {
                _ = trial.fireNext()
            }
        }
    }

    /// The timers among themselves, and with each event: two at a time, and all at once only where no
    /// two of them make the difference.
    private mutating func attempt(
        _ due: [String], in situation: Exploration.Situation, _ path: Paths.Path,
        after: Interval
    ) {
        let timers = due.prefix(Races.limit).map { Race.Contender.timer($0) }
        let events = Move.sends(of: exploration.flow).map { Race.Contender.event($0) }
        let instant = Instant(situation: situation, path: path, after: after)
        for (place, first) in timers.enumerated() {
            for second in timers[(place + 1)...] {
                _ = compare([first, second], of: timers, instant)
            }
        }
        for event in events {
            let pairs = timers.map { compare([$0, event], of: timers, instant) }
            guard timers.count > 1, !pairs.contains(true) else { continue }
            _ = compare(timers + [event], of: [], instant)
        }
    }

    /// Where the orders are tried.
    private struct Instant {
        let situation: Exploration.Situation
        let path: Paths.Path
        let after: Interval
    }

    /// Tries all orders of the contenders; what else is due then comes behind them. Whether they race.
    private mutating func compare(
        _ contenders: [Race.Contender], of due: [Race.Contender], _ instant: Instant
    ) -> Bool {
        let rest = due.filter { !contenders.contains($0) }
        var outcomes: [Race.Outcome] = []
        for order in Self.orders(of: contenders) {
            looked.orders += 1
            let trial = Trial(exploration.flow, after: instant.situation.path)
            guard let outcome = trial.run(order, then: rest, after: instant.after) else {
                return false
            }
            outcomes.append(outcome)
        }
        let first = outcomes[0]
        // An event that is taken in no order was never in the race.
        let events = contenders.filter { !$0.isTimer }
        if events.contains(where: { event in outcomes.allSatisfy { $0.losers.contains(event) } }) {
            return false
        }
        let race = Race(
            state: instant.situation.place.state, path: instant.path.legs, after: instant.after,
            outcomes: outcomes)
        guard outcomes.contains(where: { !$0.endsLike(first) || $0.effects != first.effects })
        else { return false }
        if seen.insert(Self.kind(race)).inserted { races.append(race) }
        return true
    }

    /// What makes two races one: the state, who takes part, and which states it can end in.
    private static func kind(_ race: Race) -> String {
        let ends = race.outcomes.map { "\($0.order.map(\.name)) \($0.place.state)" }
        return "\(race.state) \(ends) \(race.isOnlyEffects)"
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
