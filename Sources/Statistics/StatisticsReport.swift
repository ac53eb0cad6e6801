package import GameFlow
internal import Timers

/// The statistics of the games in a journal.
package struct StatisticsReport: Equatable, Sendable {
    /// A final state, and the number of games that ended in this state.
    package struct Outcome: Equatable, Sendable {
        package let state: String
        /// Nil if the flow has no title for the state.
        package let title: String?
        package let games: Int
    }

    /// How many visits of a state have ended, and how long these visits lasted.
    package struct StateRow: Equatable, Sendable {
        package let state: String
        /// Nil if the flow has no title for the state.
        package let title: String?
        package let visits: Int
        package let median: Duration
        package let p90: Duration
    }

    /// The games of a flow.
    package struct FlowRow: Equatable, Sendable {
        package let flow: String
        /// Nil if the flow has none.
        package let title: String?
        /// The versions that were played, in the form that clients receive.
        package internal(set) var versions: [String] = []
        package internal(set) var games = 0
        /// The games that are open and not in a final state.
        package internal(set) var running = 0
        /// The games that were closed before a final state.
        package internal(set) var unfinished = 0
        /// The final states that games reached, the most frequent first.
        package internal(set) var outcomes: [Outcome] = []
        package internal(set) var states: [StateRow] = []
        /// What operators did, the hints that they sent to players, and the refused events.
        let tally: GameTally

        init(flow: String, title: String?, tally: GameTally) {
            (self.flow, self.title, self.tally) = (flow, title, tally)
        }
    }

    package let flows: [FlowRow]
    /// Whether the journal contains refused events.
    package let hasRefusals: Bool

    /// The report as clients receive it. `recordsRefusals` says whether the daemon now records refused events.
    package func members(recordsRefusals: Bool = false) -> [Member] {
        [
            Member("refusalsRecorded", .bool(hasRefusals || recordsRefusals)),
            Member("flows", .array(flows.map { .object($0.members) })),
        ]
    }
}

extension StatisticsReport.FlowRow {
    fileprivate var members: [Member] {
        [Member("flow", flow)] + titleMember(title) + [
            Member("versions", .array(versions.map { .string($0) })),
            Member("games", games), Member("running", running), Member("unfinished", unfinished),
            Member(
                "outcomes",
                .array(
                    outcomes.map {
                        .object(
                            [Member("state", $0.state)] + titleMember($0.title)
                                + [Member("games", $0.games)])
                    })), Member("states", .array(states.map { .object($0.members) })),
            Member(
                "overrides",
                .object([
                    Member("goto", tally.gotos), Member("timer", tally.timers),
                    Member("undo", tally.undos),
                ])), Member("hints", tally.hints), Member("refusals", tally.refusals),
        ]
    }
}

extension StatisticsReport.StateRow {
    fileprivate var members: [Member] {
        [Member("state", state)] + titleMember(title) + [
            Member("visits", visits),
            Member("medianMs", Int(median.milliseconds)), Member("p90Ms", Int(p90.milliseconds)),
        ]
    }
}

private func titleMember(_ title: String?) -> [Member] { title.map { [Member("title", $0)] } ?? [] }
