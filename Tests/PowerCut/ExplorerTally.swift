/// What an exploration has seen.
package struct ExplorerTally: Equatable, Sendable {
    package internal(set) var workloads = 0
    /// Operations of the workloads, each of which was cut before.
    package internal(set) var operations = 0
    /// Times that the power was cut and the journal looked at.
    package internal(set) var cuts = 0
    /// Of these, how often in what came after a cut, or after an error.
    package internal(set) var laterCuts = 0
    /// Workloads with an error of the disk, and how many errors there were.
    package internal(set) var faultPoints = 0
    package internal(set) var faults = 0
    /// Those of which somebody was told; the others did not matter.
    package internal(set) var reported = 0
    package internal(set) var integrityChecks = 0
    package internal(set) var rows = 0
    package internal(set) var damage = DamageTally()

    /// Points that can be run again by their number.
    package var points: Int { cuts - laterCuts + faultPoints }
}
