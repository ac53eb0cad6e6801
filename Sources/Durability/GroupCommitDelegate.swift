public import Sessions

/// What the owner of a `GroupCommit` does for it. Called on the loop's thread.
public protocol GroupCommitDelegate: AnyObject {
    /// Stops the sessions' timers, or resumes them.
    func holdTimers(_ isHeld: Bool)
    /// Calls `work` after a pause; used to retry a failed store.
    func retry(_ work: @escaping () -> Void)
    /// Reports to the operator whether the storage works, with a sentence.
    func report(storageWorks: Bool, _ sentence: String)
    /// The storage works again. Called before any further change, with the openings that were
    /// undone in the meantime.
    func storageIsBack(undone: [Sessions.UndoneOpening])
}

/// The clients whose replies and notifications wait for rows. Called on the loop's thread.
public protocol GroupCommitClients: AnyObject {
    /// More rows are durable, or rows were rolled back.
    func settled(_ outcome: GroupCommit.Outcome)
}
