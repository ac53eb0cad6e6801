import Sessions

/// A fault that a test injects into the daemon or its store, to prove that the simulation finds it.
public enum InjectedFault: String, CaseIterable, Sendable {
    case none
    /// Answers, refusals or notifications are sent before the changes that they show are durable.
    case answersBeforeCommit, refusalsBeforeCommit, notificationsBeforeCommit
    /// Rest rows, the effects of a step besides its changes, are not recorded.
    case restNotRecorded
    /// The rows of one call are appended in several batches.
    case splitBatches
    /// Changes with an unknown outcome are reported as undone.
    case falselyUndone
    /// Rows are acknowledged when they are appended.
    case acknowledgedBeforeCommit
    /// Rows of a failed commit are not removed.
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
        /// Faults of the undo, which only a debug build of the sessions can make.
        case partialUndo, timersStay, idsStay, acceptsDuringOutage

        /// The fault to inject into the sessions' own undo.
        var ofUndo: InjectedFaults {
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
