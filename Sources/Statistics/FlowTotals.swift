internal import GameFlow
internal import Sessions
internal import Support

/// The totals of games, by flow.
struct FlowTotals {
    /// The state in which a game ended or is now, and whether the game is still open.
    private struct LastState: Hashable {
        let version: FlowVersion
        let state: String
        let isOpen: Bool
    }

    /// The totals of one flow.
    private struct Totals {
        var tally = GameTally()
        /// The number of games, by their last state.
        var gameCounts: [LastState: Int] = [:]
    }

    private var flows: [String: Totals] = [:]
    /// For each state, by its number, the durations of all its visits, in nanoseconds.
    private var times: [[Int64]] = []

    /// Adds a game with its ended visits. `version` is the version of the flow that was played; `state` is the game's last
    /// state.
    mutating func add(
        _ tally: GameTally, _ visits: [SessionVisits.Visit], of version: FlowVersion,
        in state: String, isOpen: Bool
    ) {
        flows[version.flow, default: Totals()].tally.add(tally)
        let last = LastState(version: version, state: state, isOpen: isOpen)
        flows[version.flow]?.gameCounts[last, default: 0] += 1
        for visit in visits {
            while times.count <= visit.state { times.append([]) }
            times[visit.state].append(visit.time)
        }
    }

    /// The rows of a report, sorted by the names of the flows. `states` are all states; the index of a state is its number.
    func rows(_ states: [StateNumbers.State], _ flow: (FlowVersion) -> AnyFlow?)
        -> [StatisticsReport.FlowRow]
    {
        var versions: [FlowVersion: PlayedVersion] = [:]
        // The order of the first visits, so that newer versions come later.
        var order: [FlowVersion] = []
        for version in states.map(\.version)
            + flows.values.flatMap({ $0.gameCounts.keys.map(\.version) })
        where versions[version] == nil {
            versions[version] = PlayedVersion(flow(version))
            order.append(version)
        }
        return flows.sorted { $0.key < $1.key }.map { name, totals in
            let titles = PlayedTitles(
                order.reversed().filter { $0.flow == name }.compactMap {
                    versions[$0]?.presentation
                })
            return row(name, totals, states, titles) { versions[$0]?.finals ?? [] }
        }
    }

    private func row(
        _ flow: String, _ totals: Totals, _ states: [StateNumbers.State], _ titles: PlayedTitles,
        finals: (FlowVersion) -> Set<String>
    ) -> StatisticsReport.FlowRow {
        var row = StatisticsReport.FlowRow(flow: flow, title: titles.flow, tally: totals.tally)
        var outcomes: [String: Int] = [:]
        for (last, count) in totals.gameCounts {
            row.games += count
            if finals(last.version).contains(last.state) {
                outcomes[last.state, default: 0] += count
            } else if last.isOpen {
                row.running += count
            } else {
                row.unfinished += count
            }
        }
        let versions = Set(totals.gameCounts.keys.map(\.version.text))
        row.versions = versions.filter { !$0.isEmpty }.sorted()
        row.outcomes = outcomes.map {
            .init(state: $0.key, title: titles.state($0.key), games: $0.value)
        }
        .sorted { ($1.games, $0.state) < ($0.games, $1.state) }
        row.states = self.states(of: flow, states, titles, finals: finals)
        return row
    }

    /// The states of a flow in the order of their first visits. States with the same name in different versions of the flow
    /// count as one. Final states are left out, because the time spent in them has no meaning.
    private func states(
        of flow: String, _ states: [StateNumbers.State], _ titles: PlayedTitles,
        finals: (FlowVersion) -> Set<String>
    ) -> [StatisticsReport.StateRow] {
        var names: [String] = []
        var timesByName: [String: [Int64]] = [:]
        for (number, state) in states.enumerated()
        where state.version.flow == flow && !finals(state.version).contains(state.name) {
            let times = number < times.count ? times[number] : []
            guard !times.isEmpty else { continue }
            if timesByName[state.name] == nil { names.append(state.name) }
            timesByName[state.name, default: []] += times
        }
        return names.compactMap { name in
            let sorted = (timesByName[name] ?? []).sorted()
            guard let median = Percentile.of(sorted, percent: 50),
                let p90 = Percentile.of(sorted, percent: 90)
            else { return nil }
            return .init(
                state: name, title: titles.state(name), visits: sorted.count,
                median: .nanoseconds(median), p90: .nanoseconds(p90))
        }
    }
}
