public import GameFlow
internal import JSON
public import Timers

/// One change of one session: what happened, who sent it, and what the session was before and after.
///
/// A class, so that the ring, the remembered answer and every watcher's queue share the one there is.
public final class Change: Sendable {
    public typealias Kind = Step.Kind

    public let session: SessionName
    /// Counts the session's changes from 1, its opening, without a gap.
    public let seq: Int
    /// Counts the daemon's changes from 1, without a gap.
    public let pos: Int
    /// When it happened.
    public let moment: Moment
    /// What happened, by whom, from where to where.
    public let step: Step
    /// Why an operator overrode, in their words.
    public let reason: String?
    /// What was done to which timer, where that is the change.
    public let timer: TimerOperation?
    /// The position of the session's change before this one; 0 if there is none.
    let previous: Int
    /// About how many bytes from outside it holds on to.
    let weight: Int

    init(
        _ session: SessionName, seq: Int, pos: Int, previous: Int, at moment: Moment,
        _ step: consuming Step, reason: String? = nil, timer: TimerOperation? = nil
    ) {
        (self.session, self.seq, self.pos, self.previous) = (session, seq, pos, previous)
        (self.moment, self.reason, self.timer) = (moment, reason, timer)
        weight =
            (step.event?.arguments.weight ?? 0) + (step.to?.data.weight ?? 0)
            + (reason?.utf8.count ?? 0)
        self.step = step
    }

    public var kind: Kind { step.kind }
    public var event: Happening? { step.event }
    public var source: Source { step.source }
    public var from: Place? { step.from }
    public var to: Place? { step.to }
    public var effects: [RequestedEffect] { step.effects }
    public var at: Instant { moment.instant }
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
