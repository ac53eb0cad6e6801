import FlowAnalysis
import GameFlow
import RPC
import Shell
internal import Support
import Timers

/// The result of `races`: each race with its path and the outcome of each order.
struct RacesReport {
    private let races: Races
    private let terminal: Terminal

    init(_ races: Races, _ terminal: Terminal) { (self.races, self.terminal) = (races, terminal) }

    // MARK: text

    var lines: [String] {
        let count = races.found.count
        let partial = races.isComplete ? "" : "; the exploration is incomplete"
        let examined =
            "\(races.examined.orders) orders tried at \(races.examined.instants) instants\(partial)"
        let head = "\(terminal.paint(races.flow.name, .bold)): "
        guard count > 0 else { return ["\(head)no races found; \(examined)"] }
        return [
            "\(head)\(count) \(count == 1 ? "race" : "races"); \(examined)",
            "The first order is the daemon's: timers before requests, and timers in the order in"
                + " which they were set.",
        ] + races.found.flatMap { [""] + lines(of: $0) }
    }

    private func lines(of race: Race) -> [String] {
        let names = race.contenders.map(name).joined(separator: " or ")
        let kind = race.isOnlyEffects ? "  (only the effects differ)" : ""
        var table = Table()
        for (index, outcome) in race.outcomes.enumerated() {
            let order = outcome.order.map(\.name).joined(separator: ", ")
            table.add([index == 0 ? "daemon" : "other", order, "→ \(end(outcome))"])
        }
        return [
            "\(terminal.paint(race.state, .bold)), \(DurationText.write(race.after)): \(names)\(kind)",
            "  after  \(MoveText.moves(race.path))",
        ] + table.lines(terminal, indent: "  ")
    }

    private func name(_ contender: Race.Contender) -> String {
        switch contender {
        case .timer(let signal): signal
        case .event(let move): MoveText.move(move, duration: nil)
        }
    }

    private func end(_ outcome: Race.OrderOutcome) -> String {
        let data = TerminalSafe.pairs(outcome.place.data)
        var words = outcome.place.state + (data.isEmpty ? "" : " \(data)")
        if !outcome.effects.isEmpty {
            words += "  " + terminal.paint("[\(outcome.effects.joined(separator: ", "))]", .cyan)
        }
        let losers = outcome.losers.map { loser in
            if case .timer = loser { return "\(loser.name) does not fire" }
            return "\(loser.name) is refused"
        }
        return losers.isEmpty ? words : "\(words)  \(losers.joined(separator: ", "))"
    }

    // MARK: JSON

    var json: [Member] {
        [
            Member("flow", races.flow.name), Member("races", .array(races.found.map(entry))),
            Member("instants", races.examined.instants), Member("orders", races.examined.orders),
            Member("complete", races.isComplete),
        ]
    }

    private func entry(_ race: Race) -> Value {
        .object([
            Member("state", race.state),
            Member("afterMs", Int(race.after.milliseconds)),
            Member("contenders", race.contenders.map(name).value),
            Member("onlyEffects", race.isOnlyEffects),
            Member("path", .array(race.path.map(MoveText.json))),
            Member("outcomes", .array(race.outcomes.map(entry))),
        ])
    }

    private func entry(_ outcome: Race.OrderOutcome) -> Value {
        .object([
            Member("order", outcome.order.map(name).value), Member("state", outcome.place.state),
            Member("data", .object(outcome.place.data)), Member("effects", outcome.effects.value),
            Member("losers", outcome.losers.map(name).value),
        ])
    }
}
