import Sessions

/// A mistake that a test plants: in the sessions and what keeps them, or in the world about them.
public enum Mistake: String, CaseIterable, Sendable {
    case none
    case answersAtOnce, refusalsAtOnce, noticesAtOnce, partialUndo, timersStay, idsStay
    case takesWhileOut, restUnwritten, splitCalls, falselyUndone
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

    var planted: Planted {
        switch self {
        case .answersAtOnce: .answersAtOnce
        case .refusalsAtOnce: .refusalsAtOnce
        case .noticesAtOnce: .noticesAtOnce
        case .partialUndo: .partialUndo
        case .timersStay: .timersStay
        case .idsStay: .idsStay
        case .takesWhileOut: .takesWhileOut
        case .restUnwritten: .restUnwritten
        case .splitCalls: .splitCalls
        case .falselyUndone: .falselyUndone
        default: []
        }
    }
}
