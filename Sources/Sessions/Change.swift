public import GameFlow
internal import JSON
public import Timers

/// One change of one session: what happened, who sent it, and what the session was before and after.
///
/// A class, so that the ring, the remembered answer and every watcher's queue share the one there is.
public final class Change: Sendable {
    public enum Kind: String, Sendable {
        case open, enter, keep, `defer`, drop, goto, timer, close
    }

    public let session: SessionName
    /// Counts the session's changes from 1, its opening, without a gap.
    public let seq: Int
    /// Counts the daemon's changes from 1, without a gap.
    public let pos: Int
    public let kind: Kind
    public let event: Happening?
    public let source: Source
    public let from: Place?
    public let to: Place?
    public let effects: [RequestedEffect]
    /// Why an operator overrode, in their words.
    public let reason: String?
    /// What was done to which timer, where that is the change.
    public let timer: TimerOperation?
    public let at: Instant
    /// The position of the session's change before this one; 0 if there is none.
    let previous: Int
    /// About how many bytes from outside it holds on to.
    let weight: Int

    init(
        _ session: SessionName, seq: Int, pos: Int, previous: Int, at: Instant, kind: Kind,
        event: Happening? = nil, source: Source, from: Place?, to: Place?,
        effects: [RequestedEffect] = [], reason: String? = nil, timer: TimerOperation? = nil
    ) {
        (self.session, self.seq, self.pos, self.previous) = (session, seq, pos, previous)
        (self.at, self.kind, self.event, self.source) = (at, kind, event, source)
        (self.from, self.to, self.effects) = (from, to, effects)
        (self.reason, self.timer) = (reason, timer)
        weight =
            (event?.arguments.weight ?? 0) + (to?.data.weight ?? 0) + (reason?.utf8.count ?? 0)
    }
}

/// What may be done to a timer.
public struct TimerOperation: Equatable, Sendable {
    public enum Action: String, Sendable, CaseIterable { case pause, resume, extend, restart }

    public let fires: String
    public let action: Action
    /// By how much it is extended.
    public let by: Interval?

    public init(_ fires: String, _ action: Action, by: Interval? = nil) {
        (self.fires, self.action, self.by) = (fires, action, by)
    }
}

extension [Member] {
    /// About how many bytes of text they hold.
    var weight: Int { reduce(0) { $0 + $1.name.utf8.count + $1.value.weight } }
}

extension Value {
    fileprivate var weight: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .array(let values): values.reduce(0) { $0 + 16 + $1.weight }
        case .object(let members): members.weight
        case .null, .bool, .int, .unfit: 0
        }
    }
}
