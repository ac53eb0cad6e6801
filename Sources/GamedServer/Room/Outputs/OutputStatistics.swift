import GameFlow
import Support

/// Counts of the outputs of one line.
struct OutputStatistics {
    private(set) var (delivered, givenUp, withheld) = (0, 0, 0)
    private(set) var lastError: String?
    private var failures = Deque<Failure>()

    /// The number of failures that are kept.
    static let kept = 100

    /// An output that was given up.
    private struct Failure {
        let id: String
        let why: String
        let atMs: Int
    }

    mutating func deliver() { delivered += 1 }

    mutating func withhold() { withheld += 1 }

    /// An attempt failed; the output may be tried again.
    mutating func fail(_ why: String) { lastError = why }

    mutating func giveUp(_ id: String, _ why: String, atMs: Int) {
        givenUp += 1
        lastError = why
        failures.append(Failure(id: id, why: why, atMs: atMs))
        if failures.count > Self.kept { _ = failures.removeFirst() }
    }

    /// The counts and the failures, the newest first.
    var members: [Member] {
        var (rest, shown) = (failures, [Value]())
        while let failure = rest.removeLast() {
            shown.append(
                .object([
                    Member("id", failure.id), Member("why", failure.why),
                    Member("atMs", failure.atMs),
                ]))
        }
        return [
            Member("delivered", delivered), Member("givenUp", givenUp),
            Member("withheld", withheld),
        ] + (lastError.map { [Member("lastError", $0)] } ?? [])
            + [Member("failures", .array(shown))]
    }
}
