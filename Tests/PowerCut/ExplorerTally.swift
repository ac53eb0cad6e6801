/// Counts of an exploration.
package struct ExplorerTally: Equatable, Sendable {
    package internal(set) var workloads = 0
    /// Operations of the workloads; the power was cut before each.
    package internal(set) var operations = 0
    /// Power cuts after which the journal was checked.
    package internal(set) var cuts = 0
    /// The power cuts that followed another cut or an error.
    package internal(set) var laterCuts = 0
    /// Workloads with disk errors, and the number of these errors.
    package internal(set) var faultPoints = 0
    package internal(set) var faults = 0
    /// Errors that the journal reported; the others had no effect.
    package internal(set) var reported = 0
    package internal(set) var integrityChecks = 0
    /// Rows that were checked after the cuts.
    package internal(set) var rows = 0
    package internal(set) var damage = DamageTally()

    /// Points that can be repeated by their number.
    package var points: Int { cuts - laterCuts + faultPoints }
}
