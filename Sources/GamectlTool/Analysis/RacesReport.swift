import FlowAnalysis
import GameFlow
import RPC
import Shell
internal import Support
import Timers

/// The output of `gamectl races`: the races of a flow. For each race, the report has the path to the race, and the outcome of
/// each order of the race's events and timers.
struct RacesReport {
    /// The races that were found in one flow.
    private let races: Races
    private let terminal: Terminal

    init(_ races: Races, _ terminal: Terminal) { (self.races, self.terminal) = (races, terminal) }

    // MARK: text

    var lines: [String] {
        let count = races.found.count
        let incompleteNote = races.isComplete ? "" : "; the exploration is incomplete"
        let (orders, instants) = (races.examined.orders, races.examined.instants)
        let effort = "\(orders) orders tried at \(instants) instants\(incompleteNote)"
        let title = "\(terminal.paint(races.flow.name, .bold)): "
        let invariants = races.brokenInvariants.flatMap { [""] + lines(of: $0) }
        guard count > 0 else { return ["\(title)no races found; \(effort)"] + invariants }
        return [
            "\(title)\(count) \(count == 1 ? "race" : "races"); \(effort)",
            "The first order is the daemon's: timers before requests, and timers in the order in"
                + " which they were set.",
        ] + races.found.flatMap { [""] + lines(of: $0) } + invariants
    }

    /// The lines about an invariant that does not hold: the state, the path, and the order of timers and events after the path,
    /// if there is one.
    private func lines(of broken: BrokenInvariant) -> [String] {
        var lines = [
            "broken: \(TerminalSafe.escaped(broken.sentence))",
            "  in     \(TerminalSafe.named(broken.place.state, broken.place.data))",
            "  after  \(MoveText.moves(broken.path))",
        ]
        if !broken.order.isEmpty {
            let order = broken.order.map(nameWithArguments).joined(separator: ", then ")
            lines.append("  then   \(order), \(DurationText.write(broken.after)) later")
        }
        return lines
    }

    /// The lines about one race. The first line has three parts: the race's state, the time from the last move of the path to
    /// the race, and the contenders. The contenders are the events and timers at the instant of the race. The second line has
    /// the path: the moves before the race. Then comes a table with the outcome of each order.
    private func lines(of race: Race) -> [String] {
        let contenders = race.contenders.map(nameWithArguments).joined(separator: " or ")
        let effectsNote = race.isOnlyEffects ? "  (only the effects differ)" : ""
        var table = Table()
        for (index, outcome) in race.outcomes.enumerated() {
            let order = outcome.order.map(\.name).joined(separator: ", ")
            // The first outcome belongs to the order in which the daemon handles the contenders.
            table.add([index == 0 ? "daemon" : "other", order, "→ \(result(outcome))"])
        }
        return [
            "\(terminal.paint(race.state, .bold)), \(DurationText.write(race.after)): "
                + "\(contenders)\(effectsNote)",
            "  after  \(MoveText.moves(race.path))",
        ] + table.lines(terminal, indent: "  ")
    }

    /// The timer's signal, or the event with its arguments.
    private func nameWithArguments(_ contender: Race.Contender) -> String {
        switch contender {
        case .timer(let signal): signal
        case .event(let move): MoveText.move(move, duration: nil)
        }
    }

    /// The result of one order: the state and data at the end, the effects, and the losers. The losers are the events that were
    /// refused, and the timers that did not fire.
    private func result(_ outcome: Race.OrderOutcome) -> String {
        var text = TerminalSafe.named(outcome.place.state, outcome.place.data)
        if !outcome.effects.isEmpty {
            text += "  " + terminal.paint("[\(outcome.effects.joined(separator: ", "))]", .cyan)
        }
        let losers = outcome.losers.map { loser in
            if case .timer = loser { return "\(loser.name) does not fire" }
            return "\(loser.name) is refused"
        }
        return losers.isEmpty ? text : "\(text)  \(losers.joined(separator: ", "))"
    }

    // MARK: JSON

    var json: [Member] {
        [
            Member("flow", races.flow.name), Member("races", .array(races.found.map(jsonObject))),
            Member("instants", races.examined.instants), Member("orders", races.examined.orders),
            Member("complete", races.isComplete),
            Member("brokenInvariants", .array(races.brokenInvariants.map(jsonObject))),
        ]
    }

    private func jsonObject(_ broken: BrokenInvariant) -> Value {
        .object([
            Member("invariant", broken.sentence), Member("state", broken.place.state),
            Member("data", .object(broken.place.data)),
            Member("path", .array(broken.path.map(MoveText.json))),
            Member("afterMs", Int(broken.after.milliseconds)),
            Member("order", broken.order.map(nameWithArguments).value),
        ])
    }

    private func jsonObject(_ race: Race) -> Value {
        .object([
            Member("state", race.state),
            Member("afterMs", Int(race.after.milliseconds)),
            Member("contenders", race.contenders.map(nameWithArguments).value),
            Member("onlyEffects", race.isOnlyEffects),
            Member("path", .array(race.path.map(MoveText.json))),
            Member("outcomes", .array(race.outcomes.map(jsonObject))),
        ])
    }

    private func jsonObject(_ outcome: Race.OrderOutcome) -> Value {
        .object([
            Member("order", outcome.order.map(nameWithArguments).value),
            Member("state", outcome.place.state),
            Member("data", .object(outcome.place.data)), Member("effects", outcome.effects.value),
            Member("losers", outcome.losers.map(nameWithArguments).value),
        ])
    }
}
