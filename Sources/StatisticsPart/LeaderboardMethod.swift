import GameFlow
package import JSONCoding
package import RPC
import Sessions
import Support
import Timers

/// The method `leaderboard`, which shows the best games of a flow.
package struct LeaderboardMethod: PartMethod {
    package let method = Method.leaderboard
    private let leaderboards: JournalLeaderboards

    package init(_ leaderboards: JournalLeaderboards) { self.leaderboards = leaderboards }

    /// The value of the parameter `by` with which games are ordered by their times. Any other value is the name of a datum.
    private static let byTime = "time"

    /// Begins to find the best games. A game of a session that the caller may not observe is not shown.
    package func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        let selection = try selection(params, caller, dispatcher)
        let visible = ObservableSessions(caller.rights)
        return .deferred(
            DeferredResult(members: { done in
                leaderboards.leaderboard(of: selection, visible: visible, done)
            }))
    }

    /// Reads and checks the parameters.
    private func selection(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher
    ) throws(CallError) -> LeaderboardSelection {
        // A malformed parameter is reported before an unknown flow, state or datum.
        let criterion = params.text(.by) ?? Self.byTime
        guard !criterion.isEmpty else {
            throw .invalidParams("by: expected time or the name of a datum")
        }
        let limit = params.int(.limit) ?? LeaderboardSelection.defaultLimit
        guard 1...LeaderboardSelection.maximumLimit ~= limit else {
            throw .invalidParams("limit: expected 1 to \(LeaderboardSelection.maximumLimit)")
        }
        let since = try params.since(dispatcher.sessions)
        let labelToLeaveOut = try permittedLabel(params, caller)

        let flow = try dispatcher.flow(named: params.required(.flow))
        let endState = params.text(.state)
        let timedStates = (params.text(.during) ?? "").split(separator: ",").map(String.init)
        for state in timedStates + [endState].compactMap(\.self) {
            try checkState(state, in: flow)
        }
        let endStates = endState.map { [$0] } ?? flow.finals
        guard !endStates.isEmpty else {
            let why =
                "the flow \(flow.name) has no final state; state=NAME says which state ends a game"
            throw .refused(.invalid(.flow(flow.name), argument: "state", why: why))
        }
        let datum =
            criterion == Self.byTime ? nil : try shownDatum(criterion, in: endStates, of: flow)
        return LeaderboardSelection(
            flow: flow.name, datum: datum, endState: endState, timedStates: timedStates,
            since: since, without: labelToLeaveOut, limit: limit,
            datumTitle: datum.flatMap { title(of: $0, in: endStates, flow) })
    }

    /// The name of a datum as the data have it: of a duration, the name with or without `Ms` is given. Throws unless one of the end
    /// states shows the datum to players.
    private func shownDatum(_ datum: String, in endStates: [String], of flow: AnyFlow)
        throws(CallError) -> String
    {
        let visibleNames = endStates.flatMap { state in
            flow.data(of: state).map(\.name).filter {
                flow.hidden?.hidesDatum($0, in: state) != true
            }
        }
        if let name = [datum, datum + Field.durationSuffix].first(where: visibleNames.contains) {
            return name
        }
        let suggestion = DidYouMean.question(datum, Set(visibleNames).sorted())
        let why = "no state that ends a game shows this datum"
        throw .refused(
            .invalid(
                .flow(flow.name), argument: "by", why: suggestion.map { "\(why); \($0)" } ?? why))
    }

    /// The title of a datum in the first of the states that gives it one; nil without one.
    private func title(of datum: String, in states: [String], _ flow: AnyFlow) -> String? {
        states.lazy.compactMap { flow.presentation.states[$0]?.data[datum]?.title }.first
    }

    /// Throws unless the flow has the state.
    private func checkState(_ state: String, in flow: AnyFlow) throws(CallError) {
        guard !flow.stateNames.contains(state) else { return }
        throw .refused(
            .unknownState(state, didYouMean: DidYouMean.suggest(state, flow.stateNames)))
    }

    /// Returns the parameter `without`, the name of a label: games with this label are left out. Nil if the parameter is not
    /// given. Only operators see labels that begin with `_`, so only operators may name a label of this kind. Otherwise, other
    /// callers could find out which games have the label, by comparing the results with and without this parameter.
    private func permittedLabel(_ params: borrowing Params, _ caller: any Caller) throws(CallError)
        -> String?
    {
        let name = try params.labelToLeaveOut()
        if name?.hasPrefix("_") == true, !caller.rights.hasEverywhere(.operate) {
            throw .invalidParams(
                "without: a label that begins with _ needs the role operate in every session")
        }
        return name
    }
}
