internal import GameFlow
internal import JSONCoding
internal import Sessions
internal import Support
internal import Timers

/// The method `stats`, which computes statistics from the journal.
extension Dispatcher {
    /// Begins to compute the statistics of the games that the parameters select.
    func stats(_ params: borrowing Params) throws(CallError) -> CallOutcome {
        let selection = StatisticsSelection(
            flow: params.text(.flow), since: try since(params), without: try labelToLeaveOut(params)
        )
        guard let statistics else { throw noJournalError }
        return .deferred(
            DeferredResult { done in
                statistics.statistics(of: selection) { result in
                    // The outcome is a closure that writes the members as the result.
                    done(result.map { members in { $0.object(members) } }.mapError { .refused($0) })
                }
            })
    }

    /// The error for a daemon that has no journal.
    var noJournalError: CallError {
        let why = "there is no journal: start gamed with --state-dir or --store"
        return .refused(.storage(why: why, outcome: .undone))
    }

    /// Returns the parameter `since`: games that were opened before this instant are left out. The parameter is a number or a
    /// text. A number is the milliseconds since the zero of the sessions' clock. A text is a date, or a duration before the
    /// present. Nil if the parameter is not given.
    func since(_ params: borrowing Params) throws(CallError) -> Instant? {
        guard let value = params.value(.since) else { return nil }
        let instant =
            switch value {
            case .int(let milliseconds): InstantText.read(milliseconds: milliseconds)
            case .string(let text): InstantText.read(text, before: sessions.now)
            default: nil as Instant?
            }
        guard let instant else {
            throw .invalidParams("since: expected \(InstantText.expectedForm)")
        }
        return instant
    }

    /// Returns the parameter `without`, the name of a label: games with this label are left out. Nil if it is not given.
    func labelToLeaveOut(_ params: borrowing Params) throws(CallError) -> String? {
        guard let name = params.text(.without) else { return nil }
        guard NoteLimits.isLabelName(name) else {
            throw .invalidParams("without: \(NoteLimits.labelNameRule)")
        }
        return name
    }
}
