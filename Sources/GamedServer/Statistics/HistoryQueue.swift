/// Lets the shards of a node read their histories one after the other: the requests of clients use the same connection, and
/// shards that are not served yet come first.
final class HistoryQueue {
    typealias Reading = (_ done: @escaping () -> Void) -> Void

    private var waiting: [Reading] = []
    private var isReading = false
    /// Whether there is something more urgent.
    var mustWait: () -> Bool = { false }

    /// Adds a reading, which calls `done` once at its end.
    func add(_ reading: @escaping Reading) {
        waiting.append(reading)
        next()
    }

    /// Begins the next reading if nothing prevents it.
    func next() {
        while !isReading, !waiting.isEmpty, !mustWait() {
            isReading = true
            let reading = waiting.removeFirst()
            reading { [weak self] in
                self?.isReading = false
                self?.next()
            }
        }
    }
}
