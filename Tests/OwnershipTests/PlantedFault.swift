/// A fault that the simulation plants, to show that its checks find it.
enum PlantedFault: CaseIterable {
    /// An append does not check the epoch.
    case noFence
    /// The append's lock does not conflict with a takeover, as FOR KEY SHARE would not.
    case weakLock
    /// An owner acts as owner beyond its lease.
    case trustBeyondLease
    /// The trust window is counted from the answer of the renewal, not from its start.
    case renewalCountedFromItsEnd
    /// A node's identity is its name, which two nodes have.
    case identityIsTheName
    /// An append whose outcome is unknown is sent again, without reading whether the first one was executed.
    case resentWithoutReading
    /// An append is acknowledged before it is committed.
    case acknowledgedBeforeCommit
    /// A shard is acquired when the database's clock says that the lease has ended.
    case databaseClockAlone
    /// A takeover keeps the epoch.
    case epochKept
    /// A node that reads back the outcome of an append does not take a new epoch before.
    case resumedUnderTheSameEpoch
}
