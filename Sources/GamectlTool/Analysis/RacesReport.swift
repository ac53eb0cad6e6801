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
        let (orders, instants) = (races.examined.orders, races.examined.instants)
        let effort = "\(orders) orders tried at \(instants) instants"
        let title = "\(terminal.paint(races.flow.name, .bold)): "
        let rest =
            races.brokenInvariants.flatMap { [""] + lines(of: $0.description) }
            + SearchNotes(races.incompleteness, races.eventsNotTriedWhole).lines(terminal)
        guard count > 0 else { return ["\(title)no races found; \(effort)"] + rest }
        return [
            "\(title)\(CountText.write(count, "race")); \(effort)",
            "The first order is the daemon's: timers before requests, and timers in the order in"
                + " which they were set.",
        ] + races.found.flatMap { [""] + $0.lines(paint) } + rest
    }

    private func lines(of text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private func paint(_ text: String, _ part: TextPart) -> String {
        terminal.paint(text, part == .state ? .bold : .cyan)
    }

    // MARK: JSON

    var json: [Member] {
        [
            Member("flow", races.flow.name), Member("races", .array(races.found.map(jsonObject))),
            Member("instants", races.examined.instants), Member("orders", races.examined.orders),
            Member("complete", races.isComplete), Member("incomplete", races.incompleteness.value),
            Member("notTriedWhole", races.eventsNotTriedWhole.value),
            Member("brokenInvariants", .array(races.brokenInvariants.map(jsonObject))),
        ]
    }

    private func jsonObject(_ broken: BrokenInvariant) -> Value {
        .object([
            Member("invariant", broken.sentence), Member("state", broken.place.state),
            Member("data", .object(broken.place.data)),
            Member("path", .array(broken.path.map(MoveText.json))),
            Member("afterMs", Int(broken.after.milliseconds)),
            Member("order", broken.order.map(\.description).value),
        ])
    }

    private func jsonObject(_ race: Race) -> Value {
        .object([
            Member("state", race.state),
            Member("afterMs", Int(race.after.milliseconds)),
            Member("contenders", race.contenders.map(\.description).value),
            Member("onlyEffects", race.isOnlyEffects),
            Member("path", .array(race.path.map(MoveText.json))),
            Member("outcomes", .array(race.outcomes.map(jsonObject))),
        ])
    }

    private func jsonObject(_ outcome: Race.OrderOutcome) -> Value {
        .object([
            Member("order", outcome.order.map(\.description).value),
            Member("state", outcome.place.state),
            Member("data", .object(outcome.place.data)), Member("effects", outcome.effects.value),
            Member("losers", outcome.losers.map(\.description).value),
        ])
    }
}
