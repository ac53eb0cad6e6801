/// A fault that the simulation plants, to show that its checks find it.
enum PlantedFault: CaseIterable {
    /// An append does not check the epoch.
    case noFence
    /// The lock of an append on its shard's row does not block a takeover. PostgreSQL's FOR KEY SHARE is such a lock.
    case weakLock
    /// An owner acts as owner beyond its lease.
    case trustBeyondLease
    /// The trust window is counted from the answer of the renewal, not from its start.
    case renewalCountedFromItsEnd
    /// A node's identity is only its configured name, and two nodes have the same name.
    case identityIsTheName
    /// An append whose outcome is unknown is sent again, without reading whether the first one was executed.
    case resentWithoutReading
    /// An append is acknowledged before it is committed.
    case acknowledgedBeforeCommit
    /// A shard is acquired as soon as its lease has ended by the database's clock, even if its row has changed since the node
    /// read it.
    case databaseClockAlone
    /// A takeover keeps the epoch.
    case epochKept
    /// A node reads back whether an append was executed, but does not take a new epoch first.
    case resumedUnderTheSameEpoch
}
