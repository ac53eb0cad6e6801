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
    /// Rows that a failed commit has written all the same are not removed by the recovery.
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
        // The sessions themselves make the following faults when they roll back changes after a failure of the store.
        /// Only the session of the first lost row is rolled back.
        case partialUndo
        /// The timers of changes that were rolled back are not restored.
        case timersStay
        /// The answers to requests that were rolled back are still remembered.
        case idsStay
        /// Changes are accepted while the store does not work.
        case acceptsDuringOutage

        /// This fault as an option of the sessions; empty if the fault is not in their code.
        var rollbackFaults: InjectedFaults {
            switch self {
            case .partialUndo: .partialUndo
            case .timersStay: .timersStay
            case .idsStay: .idsStay
            case .acceptsDuringOutage: .acceptsDuringOutage
            default: []
            }
        }
    #endif
}
