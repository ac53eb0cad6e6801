import Inputs

/// Counts of the inputs of several connections, for the metrics.
package struct InputTotals {
    package private(set) var received = 0
    package private(set) var (accepted, refused) = (0, 0)
    package private(set) var (dropped, repeated, unmatched) = (0, 0, 0)

    /// Adds the counts of one connection.
    package mutating func add(_ connection: RoomConnection) {
        received += connection.inputConnection.status.received
        accepted += connection.statistics.accepted
        refused += connection.statistics.refused
        dropped += connection.statistics.dropped
        repeated += connection.statistics.repeated
        unmatched += connection.statistics.unmatched
    }
}
