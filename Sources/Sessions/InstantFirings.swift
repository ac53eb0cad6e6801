internal import GameFlow
internal import Timers

/// The firings of a session that follow each other without time between them: each is of a timer that a step before it has set to
/// zero. Two states whose countdowns of zero lead to each other, or two sessions that do so by links, would otherwise never end,
/// and fill the journal.
extension Session {
    /// Counts a firing of a timer of this session. Returns whether its signal is refused, because the session had too many such
    /// firings in a row. A request of a client begins a new row.
    func isRefused(_ firing: Firing) -> Bool {
        guard followsWithoutTime(firing) else {
            instantFirings = 0
            return false
        }
        if instantFirings >= sessions.limits.instantFirings { return true }
        instantFirings += 1
        return false
    }

    /// Whether a timer fires at the instant of the session's newest change, and this change is of a timer or of a link.
    private func followsWithoutTime(_ firing: Firing) -> Bool {
        guard case .recent(let change) = newest, firing.deadline <= change.at else { return false }
        let source = change.step.source
        return source.kind == .timer || source.kind == .session
    }
}
