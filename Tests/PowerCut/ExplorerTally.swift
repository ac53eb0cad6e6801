/// Counts of what an explorer of power cuts did and found.
package struct ExplorerTally: Equatable, Sendable {
    /// The sequences of steps that were explored; each is drawn from one seed.
    package internal(set) var workloads = 0
    /// Operations of the workloads; the power was cut before each.
    package internal(set) var operations = 0
    /// Power cuts after which the journal was checked.
    package internal(set) var cuts = 0
    /// The power cuts that followed another cut or an error.
    package internal(set) var laterCuts = 0
    /// Runs of a workload in which operations of the disk failed.
    package internal(set) var runsWithFaults = 0
    /// The failed operations in these runs.
    package internal(set) var faults = 0
    /// How many times the journal reported an error. The journal does not report the failure of an operation that is not
    /// important.
    package internal(set) var reportedErrors = 0
    /// How many times SQLite checked a whole database.
    package internal(set) var integrityChecks = 0
    /// Rows that were checked after the cuts.
    package internal(set) var rows = 0
    package internal(set) var damage = DamageTally()

    /// The number of explored points; see `Explorer`. Later cuts are not points of their own.
    package var points: Int { cuts - laterCuts + runsWithFaults }
}
