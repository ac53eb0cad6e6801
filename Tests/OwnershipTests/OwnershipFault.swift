/// A fault that the simulation injects, to show that its checks find it.
enum OwnershipFault: CaseIterable {
    /// An append does not check the epoch.
    case noFence
    /// An append locks its shard's row, but the lock does not block a takeover. PostgreSQL's FOR KEY SHARE is such a lock.
    case weakLock
    /// An owner acts as owner beyond its lease.
    case trustBeyondLease
    /// The time for which a lease is trusted is counted from the answer to its renewal, instead of from the request.
    case renewalCountedFromItsEnd
    /// A node's identity is only its configured name, and two nodes have the same name.
    case identityIsTheName
    /// A node sends an append with an unknown outcome again. The node does not read first whether the append was executed.
    case resentWithoutReading
    /// An append is acknowledged before it is committed.
    case acknowledgedBeforeCommit
    /// A node acquires a shard as soon as the shard's lease has ended by the database's clock alone. Without the
    /// fault, the shard's row must also be unchanged since the node read it.
    case databaseClockAlone
    /// A takeover keeps the epoch.
    case epochKept
    /// A node reads back whether an append was executed, but does not take a new epoch first.
    case resumedUnderTheSameEpoch
}
