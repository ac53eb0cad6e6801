internal import GameFlow
internal import Timers

/// Counts the firings of each session that follow each other without time between them: each is of a timer that the firing before it
/// has set to zero. Two states whose countdowns of zero lead to each other would otherwise never end, and fill the journal.
struct InstantFirings {
    /// The firings of a session so far, and the number of the session's change after the last of them.
    private struct Chain {
        var count: Int
        var seq: Int
    }

    private var chains: [SessionName: Chain] = [:]
    /// The maximum number of chains. When it is reached, all are forgotten: a chain that goes on is counted anew.
    private static let chainLimit = 1024
    /// The maximum number of firings in a chain.
    static let limit = EventQueue.postLimit

    /// The number of firings that have led to the present state of a session without time between them, if one more follows now.
    func count(of session: Session) -> Int {
        guard let chain = chains[session.name], chain.seq == session.seq else { return 0 }
        return chain.count
    }

    /// Adds a firing, after its change, to a chain of this many firings.
    mutating func add(_ session: Session, after count: Int) {
        if chains.count >= Self.chainLimit { chains = [:] }
        chains[session.name] = Chain(count: count + 1, seq: session.seq)
    }
}

extension Sessions {
    /// Whether a timer fires at the instant of the session's newest change: the change has set it to zero, or set it at zero.
    func isInstant(_ firing: Firing, _ session: Session) -> Bool {
        guard case .recent(let change) = session.newest else { return false }
        return firing.deadline <= change.at
    }
}
