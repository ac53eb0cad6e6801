internal import GameFlow
internal import JSONCoding
internal import Sessions
internal import Support
internal import Timers

/// The method `leaderboard`, which shows the best games of a flow.
extension Dispatcher {
    /// The value of the parameter `by` that orders games by their times. Any other value is the name of a datum.
    private static let byTime = "time"

    /// Begins to find the best games. A game of a session that the caller may not observe is not shown.
    func leaderboard(_ params: borrowing Params, _ caller: any Caller) throws(CallError)
        -> CallOutcome
    {
        let selection = try leaderboardSelection(params, caller)
        guard let leaderboards else { throw noJournal }
        let rights = caller.rights
        return .deferred(
            DeferredResult { done in
                leaderboards.leaderboard(
                    of: selection, mayShow: { rights.has(.observe, in: $0) }
                ) { result in
                    done(result.map { members in { $0.object(members) } }.mapError { .refused($0) })
                }
            })
    }

    /// Reads and checks the parameters.
    private func leaderboardSelection(_ params: borrowing Params, _ caller: any Caller)
        throws(CallError) -> LeaderboardSelection
    {
        // First come the checks that need no flow, then those of the names of the flow, the states and the datum.
        let criterion = params.text(.by) ?? Self.byTime
        guard !criterion.isEmpty else {
            throw .invalidParams("by: expected time or the name of a datum")
        }
        let limit = params.int(.limit) ?? LeaderboardSelection.defaultLimit
        guard 1...LeaderboardSelection.maximumLimit ~= limit else {
            throw .invalidParams("limit: expected 1 to \(LeaderboardSelection.maximumLimit)")
        }
        let (since, without) = (try since(params), try permittedLabel(params, caller))

        let flow = try flow(named: params.required(.flow))
        let (endState, timedState) = (params.text(.state), params.text(.during))
        for state in [endState, timedState] { if let state { try check(state, in: flow) } }
        let datum = criterion == Self.byTime ? nil : criterion
        if let datum { try check(datum: datum, in: endState.map { [$0] } ?? flow.finals, of: flow) }
        return LeaderboardSelection(
            flow: flow.name, datum: datum, end: endState, timed: timedState,
            since: since, without: without, limit: limit)
    }

    /// Throws unless one of the end states shows the datum to players.
    private func check(datum: String, in endStates: [String], of flow: AnyFlow) throws(CallError) {
        let visible = endStates.flatMap { state in
            flow.data(of: state).map(\.name).filter {
                flow.hidden?.hidesDatum($0, in: state) != true
            }
        }
        guard !visible.contains(datum) else { return }
        let suggestion = DidYouMean.question(datum, Set(visible).sorted())
        let why = "no state that ends a game shows this datum"
        throw .refused(
            .invalid(
                .flow(flow.name), argument: "by", why: suggestion.map { "\(why); \($0)" } ?? why))
    }

    /// Throws unless the flow has the state.
    private func check(_ state: String, in flow: AnyFlow) throws(CallError) {
        guard !flow.stateNames.contains(state) else { return }
        throw .refused(
            .unknownState(state, didYouMean: DidYouMean.suggest(state, flow.stateNames)))
    }

    /// Returns the parameter `without`, the name of a label: games with this label are left out. Nil if it is not given. Only
    /// operators may name a label that begins with `_`. Such a label is hidden from other callers, who could otherwise find the
    /// games with the label by comparing the results with and without them.
    private func permittedLabel(_ params: borrowing Params, _ caller: any Caller) throws(CallError)
        -> String?
    {
        let name = try labelToLeaveOut(params)
        if name?.hasPrefix("_") == true, !caller.rights.hasEverywhere(.operate) {
            throw .invalidParams("without: a name without _ at its beginning, or the role operate")
        }
        return name
    }
}
