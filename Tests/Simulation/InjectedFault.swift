import Sessions

/// A fault that a test puts into the daemon or the world about it, to prove that it is found.
public enum InjectedFault: String, CaseIterable, Sendable {
    case none
    /// What shows a session goes out before its changes are on the disk: answers, refusals, notifications.
    case answersAtOnce, refusalsAtOnce, noticesAtOnce
    /// What a step did besides its changes is not written down.
    case restUnwritten
    /// The rows of one call are handed over one by one.
    case splitCalls
    /// What may be there all the same is said to be undone.
    case falselyUndone
    /// Rows are said to be on the disk when they have been handed over.
    case acknowledgedBeforeCommit
    /// What a commit that failed has left is not removed.
    case leftoversStay
    /// After a restart, every deadline is moved by the time that the daemon was down.
    case relativeDeadlines
    /// The answers to requests with an id are forgotten at a restart.
    case idsForgotten
    /// Rows are believed whatever their checksums say.
    case checksumsSkipped
    /// Timers fire although the storage is out.
    case timersNotHeld
    /// The clock begins anew at the wall's time, even if that was set back.
    case clockGoesBack
    /// Timers of a state go on when it is left.
    case cancelForgotten
    /// Outputs are sent before their change is on the disk.
    case outputsBeforeCommit
    /// What an earlier life has left to send is neither sent nor reported.
    case leftOutputsForgotten

    #if FAULT_INJECTION
        /// Faults of the undo, which only a debug build of the sessions can make.
        case partialUndo, timersStay, idsStay, takesWhileOut

        /// What the sessions' own undo does wrong.
        var ofUndo: InjectedFaults {
            switch self {
            case .partialUndo: .partialUndo
            case .timersStay: .timersStay
            case .idsStay: .idsStay
            case .takesWhileOut: .takesWhileOut
            default: []
            }
        }
    #endif
}
