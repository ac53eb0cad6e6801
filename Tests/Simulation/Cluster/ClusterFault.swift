/// A fault that a test injects into a simulated cluster, to prove that the simulation finds it. The faults are in the model of
/// the database, in the link to it or in the simulated node, not in the daemon's code.
///
/// With the first five faults, the model of the database also accepts a second row at a position. Otherwise the primary key
/// would refuse most of the wrong appends that these faults cause.
public enum ClusterFault: String, CaseIterable, Sendable {
    /// An append does not check the epoch.
    case noFence
    /// A takeover does not raise the epoch.
    case epochKept
    /// A store that has connected again writes under its old epochs, instead of raising them first.
    case resumedUnderTheSameEpoch
    /// An append whose outcome is unknown is sent again without reading first whether its rows are in the database.
    case resentWithoutReading
    /// An append locks its shard's row, but the lock does not block a takeover, as FOR KEY SHARE would not. So the next owner
    /// can read the rows while an append of the previous owner is still running.
    case weakLock
    /// An append is acknowledged when it is sent.
    case acknowledgedBeforeCommit
    /// A failover loses acknowledged rows that the standby has not received yet.
    case asynchronousStandby
    /// A node acts as owner beyond its lease.
    case trustBeyondLease
    /// The time for which a lease is trusted is counted from the answer to its renewal, instead of from the request.
    case renewalCountedFromItsEnd
    /// All processes have the same identity.
    case identityIsTheName
    /// Timers fire although the lease is not trusted.
    case timersIgnoreTrust
    /// After a takeover every deadline is moved by the time without an owner.
    case relativeDeadlines
    /// The answers to requests with an id are forgotten at a takeover.
    case idsForgotten
    /// The next owner uses rows that it has read before it acquired the shard.
    case restoredBeforeAcquired
    /// The sessions of a shard use the node's clock instead of the database's.
    case ownClock

    /// Whether the model of the database refuses a second row at a position.
    var hasUniquePositions: Bool {
        switch self {
        case .noFence, .epochKept, .resumedUnderTheSameEpoch, .resentWithoutReading, .weakLock:
            false
        default: true
        }
    }
}
