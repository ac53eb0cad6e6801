package import GameFlow
import Support

/// Counts of the outputs of one line.
package struct OutputStatistics {
    /// The number of outputs that were delivered, the number that were given up, and the number that were withheld. An output
    /// is withheld if outputs are off, or if the receiver wants no more requests.
    package private(set) var (delivered, givenUp, withheld) = (0, 0, 0)
    /// The reason of the most recent failure: an attempt failed, or an output was given up.
    private(set) var lastError: String?
    /// The most recent outputs that were given up, from the oldest to the newest.
    private var failures = Deque<Failure>()

    /// The maximum number of `failures`.
    static let failureLimit = 100

    /// An output that was given up.
    private struct Failure {
        let id: String
        let why: String
        /// When the output was given up, on the sessions' clock.
        let atMs: Int
    }

    /// Adds the counts of another line.
    mutating func addCounts(of other: OutputStatistics) {
        delivered += other.delivered
        givenUp += other.givenUp
        withheld += other.withheld
    }

    mutating func countDelivered() { delivered += 1 }

    mutating func countWithheld() { withheld += 1 }

    /// Records a failed attempt. The output may be tried again.
    mutating func recordFailedAttempt(_ why: String) { lastError = why }

    /// Records an output that was given up.
    mutating func recordGivenUp(_ id: String, _ why: String, atMs: Int) {
        givenUp += 1
        lastError = why
        failures.append(Failure(id: id, why: why, atMs: atMs))
        if failures.count > Self.failureLimit { _ = failures.removeFirst() }
    }

    /// Members of the result of the method `outputs`: the counts, and the outputs that were given up, from the newest to the
    /// oldest.
    package var members: [Member] {
        var (remaining, values) = (failures, [Value]())
        while let failure = remaining.removeLast() {
            values.append(
                .object([
                    Member("id", failure.id), Member("why", failure.why),
                    Member("atMs", failure.atMs),
                ]))
        }
        return [
            Member("delivered", delivered), Member("givenUp", givenUp),
            Member("withheld", withheld),
        ] + (lastError.map { [Member("lastError", $0)] } ?? [])
            + [Member("failures", .array(values))]
    }
}
