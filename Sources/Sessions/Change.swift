public import GameFlow
public import Timers

/// One change of one session: what happened, who sent it, and what the session was before and after.
///
/// A class, so that the ring, the remembered answer and every watcher's queue share the one there is.
/// It is small, and points to what is shared anyhow; its JSON is written when somebody is told. Kept
/// as JSON, the ring's last changes would not fit into a processor's cache.
public final class Change: Sendable {
    public let session: SessionName
    /// Counts the session's changes from 1, its opening, without a gap.
    public let seq: Int
    /// Counts the daemon's changes from 1, without a gap.
    public let pos: Int
    public let at: Instant
    /// What happened, by whom, from where to where.
    public let step: Step
    /// Why an operator overrode or an event was dropped, or what was done to which timer.
    public let order: Order?
    /// The `pos` of the change that entered the state in which this change leaves the session. It identifies one
    /// visit of a state, and is never used twice.
    public let entry: Int
    /// The position of the session's change before this one; 0 if there is none.
    let previous: Int
    /// About how many bytes from outside it holds on to.
    let weight: Int

    /// What is to be said besides.
    public indirect enum Order: Equatable, Sendable {
        case override(reason: String?)
        case timer(TimerOperation)
    }

    init(
        _ session: SessionName, seq: Int, pos: Int, entry: Int, previous: Int, at instant: Instant,
        _ step: consuming Step, order: Order? = nil
    ) {
        self.entry = entry
        (self.session, self.seq, self.pos, self.previous) = (session, seq, pos, previous)
        at = instant
        self.order = order
        weight = Self.weight(step, order)
        self.step = step
    }

    public var kind: Step.Kind { step.kind }

    private static func weight(_ step: borrowing Step, _ order: Order?) -> Int {
        var weight = 0
        // The names are the flow's own.
        if let event = step.event, !event.arguments.isEmpty { weight += event.arguments.weight }
        if let place = step.to, !place.data.isEmpty { weight += place.data.weight }
        if case .override(let reason?) = order { weight += reason.utf8.count }
        return weight
    }
}
