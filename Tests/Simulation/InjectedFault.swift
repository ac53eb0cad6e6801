import Sessions

/// A fault that a test injects into the daemon or its store, to prove that the simulation finds it.
public enum InjectedFault: String, CaseIterable, Sendable {
    case none
    /// Answers, refusals or notifications are sent before the changes that they show are durable.
    case answersBeforeCommit, refusalsBeforeCommit, notificationsBeforeCommit
    /// Rest rows are not recorded. A rest row records a firing or an answer without a change.
    case restNotRecorded
    /// The rows of one call are appended in several batches.
    case splitBatches
    /// Changes with an unknown outcome are reported as undone.
    case falselyUndone
    /// Rows are acknowledged when they are appended.
    case acknowledgedBeforeCommit
    /// The recovery does not remove rows that were written although their commit was reported as failed.
    case leftoversNotRemoved
    /// After a restart, every deadline is moved by the downtime.
    case relativeDeadlines
    /// The answers to requests with an id are forgotten at a restart.
    case idsForgotten
    /// Checksums of rows are not checked.
    case checksumsSkipped
    /// Timers fire during a storage failure.
    case timersNotHeld
    /// After a restart the clock starts at the wall clock's time, even if that was set back.
    case clockGoesBack
    /// Timers of a state are not ended when it is left.
    case timersNotEnded
    /// Outputs are sent before their change is durable.
    case outputsBeforeCommit
    /// Outputs that were undelivered at a crash are neither sent nor reported.
    case unsentOutputsIgnored

    #if FAULT_INJECTION
        // The following faults are in the sessions' own code, which handles a failure of the store.
        /// After a rollback, only the first of the sessions is restored.
        case partialUndo
        /// The timers of a session are not set again after a rollback.
        case timersNotRestored
        /// The answers to requests that were rolled back are still remembered.
        case idsStay
        /// Changes are accepted while the store does not work.
        case acceptsDuringOutage

        /// This fault as an option of the sessions; empty if the fault is not in their code.
        var sessionFaults: InjectedFaults {
            switch self {
            case .partialUndo: .partialUndo
            case .timersNotRestored: .timersNotRestored
            case .idsStay: .idsStay
            case .acceptsDuringOutage: .acceptsDuringOutage
            default: []
            }
        }
    #endif
}
