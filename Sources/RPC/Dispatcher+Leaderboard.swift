internal import GameFlow
internal import JSONCoding
internal import Sessions
internal import Support
internal import Timers

/// The best games of a flow.
extension Dispatcher {
    func leaderboard(_ params: borrowing Params, _ peer: any Caller) throws(CallError)
        -> CallOutcome
    {
        let selection = try leaderboardSelection(params, peer)
        guard let leaderboards else { throw noJournal }
        let rights = peer.rights
        return .deferred(
            DeferredResult { done in
                leaderboards.leaderboard(
                    of: selection, mayShow: { rights.has(.observe, in: $0) }
                ) { result in
                    done(result.map { members in { $0.object(members) } }.mapError { .refused($0) })
                }
            })
    }

    private func leaderboardSelection(_ params: borrowing Params, _ peer: any Caller)
        throws(CallError) -> LeaderboardSelection
    {
        // The form of the request comes first, then what it names.
        let by = params.text(.by) ?? "time"
        guard !by.isEmpty else { throw .invalidParams("by: expected time or the name of a datum") }
        let limit = params.int(.limit) ?? LeaderboardSelection.usualLimit
        guard 1...LeaderboardSelection.largestLimit ~= limit else {
            throw .invalidParams("limit: expected 1 to \(LeaderboardSelection.largestLimit)")
        }
        let (since, without) = (try since(params), try shownLabel(params, peer))

        let flow = try flow(named: params.required(.flow))
        let (end, timed) = (params.text(.state), params.text(.during))
        for state in [end, timed] { if let state { try check(state, in: flow) } }
        if by != "time" { try check(datum: by, in: end.map { [$0] } ?? flow.finals, of: flow) }
        return LeaderboardSelection(
            flow: flow.name, datum: by == "time" ? nil : by, end: end, timed: timed,
            since: since, without: without, limit: limit)
    }

    /// Throws unless one of the states shows the datum to players.
    private func check(datum: String, in ends: [String], of flow: AnyFlow) throws(CallError) {
        let visible = ends.flatMap { state in
            flow.data(of: state).map(\.name).filter {
                flow.hidden?.hidesDatum($0, in: state) != true
            }
        }
        guard !visible.contains(datum) else { return }
        let near = DidYouMean.question(datum, Set(visible).sorted())
        let why = "no state that ends a game shows this datum"
        throw .refused(
            .invalid(
                .flow(flow.name), argument: "by", why: near.map { "\(why); \($0)" } ?? why))
    }

    private func check(_ state: String, in flow: AnyFlow) throws(CallError) {
        guard !flow.stateNames.contains(state) else { return }
        throw .refused(
            .unknownState(state, didYouMean: DidYouMean.suggest(state, flow.stateNames)))
    }

    /// Labels that begin with `_` are the operators' own: without one a reader could find out who has it.
    private func shownLabel(_ params: borrowing Params, _ peer: any Caller) throws(CallError)
        -> String?
    {
        let name = try label(params)
        if name?.hasPrefix("_") == true, !peer.rights.hasEverywhere(.operate) {
            throw .invalidParams("without: a name without _ at its beginning, or the role operate")
        }
        return name
    }
}
