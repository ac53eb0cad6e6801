public import Sessions

/// What the owner of a keeper does for it. Called on the loop's thread.
public protocol GroupCommitDelegate: AnyObject {
    /// Stops the sessions' timers, or lets them go on.
    func holdTimers(_ isHeld: Bool)
    /// Calls `work` a while later: a failed store is tried again and again.
    func retry(_ work: @escaping () -> Void)
    /// Tells an operator whether the storage works, with a sentence.
    func report(storageWorks: Bool, _ sentence: String)
    /// The storage works again. Called before anything changes, with the openings that were taken back meanwhile.
    func storageIsBack(undone: [Sessions.UndoneOpening])
}

/// The peers whose answers and notifications wait for rows. Called on the loop's thread.
public protocol GroupCommitClients: AnyObject {
    /// Some more rows are durable, or were taken back.
    func settled(_ outcome: GroupCommit.Outcome)
}
