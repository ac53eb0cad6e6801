import Inputs

/// Counts of the inputs of several connections, for the metrics.
package struct InputTotals {
    package private(set) var (received, unmatched) = (0, 0)

    /// Adds the counts of one connection.
    package mutating func add(_ connection: RoomConnection) {
        received += connection.inputConnection.status.received
        unmatched += connection.statistics.unmatched
    }
}
