internal import GameFlow
internal import Sessions
internal import Timers

/// The effect of a change on the visits of its session. `StayReader`, `GameStatistics` and `Leaderboard` compute the visits
/// from `VisitStep`s. A change that does not affect a visit has no `VisitStep`.
struct VisitStep {
    enum Action: Equatable {
        /// The session enters a state.
        case enter
        /// The changes whose `seq` is at least `from` are undone.
        case undo(from: Int)
        /// The session continues with another version of its flow.
        case move
        /// The session is closed.
        case close
    }

    let session: SessionName
    /// The number of the change in its session.
    let seq: Int
    /// The instant of the change.
    let at: Instant
    let action: Action
    /// The name of the state after the change, or before it if the change closed the session.
    let state: String
    /// The version of the flow that the session plays after the change.
    let version: FlowVersion

    /// The step of a recorded change. Nil if the record is not a change, or if the change does not affect a visit.
    init?(_ record: SessionRecord) {
        guard case .change(let changed) = record.body, let session = record.session else {
            return nil
        }
        self.init(
            session, seq: record.seq, at: record.at, changed.recordedStep.step,
            changed.recordedStep.details,
            FlowVersion(changed.status))
    }

    private init?(
        _ session: SessionName, seq: Int, at instant: Instant, _ step: Step,
        _ details: Change.Details?, _ version: FlowVersion
    ) {
        switch step.kind {
        case .open, .enter, .goto: action = .enter
        case .undo:
            guard case .undo(let first, _)? = details else { return nil }
            action = .undo(from: first)
        case .move: action = .move
        case .close: action = .close
        // These changes neither begin nor end a visit.
        case .keep, .defer, .drop, .timer, .label, .say: return nil
        }
        guard let stateRecord = step.to ?? step.from else { return nil }
        (self.session, self.seq, self.version) = (session, seq, version)
        (at, state) = (instant, stateRecord.state)
    }
}
