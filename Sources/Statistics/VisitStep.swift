internal import GameFlow
package import Sessions
internal import Timers

/// The effect of a change on the visits of its session.
package struct VisitStep {
    enum Action: Equatable {
        /// The session enters a state.
        case enter
        /// The changes from this number on are undone.
        case undo(from: Int)
        /// The session goes on with another version of its flow.
        case move
        /// The session is closed.
        case close
    }

    let session: SessionName
    let seq: Int
    let at: Instant
    let action: Action
    /// The state after the change, or before it if the change closed the session.
    let state: String
    let version: FlowVersion

    /// The step of a recorded change; nil if the record is not a change, or a change that does not affect a visit.
    init?(_ record: SessionRecord) {
        guard case .change(let changed) = record.body, let session = record.session else {
            return nil
        }
        self.init(
            session, seq: record.seq, at: record.at, changed.recordedStep.step,
            changed.recordedStep.details,
            FlowVersion(changed.status))
    }

    /// The step of a change; `version` is the version of the flow that the session plays after the change.
    package init?(_ change: Change, _ version: FlowVersion) {
        self.init(
            change.session, seq: change.seq, at: change.at, change.step, change.details, version)
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
        case .keep, .defer, .drop, .timer, .label, .say: return nil
        }
        guard let record = step.to ?? step.from else { return nil }
        (self.session, self.seq, self.version) = (session, seq, version)
        (at, state) = (instant, record.state)
    }
}
