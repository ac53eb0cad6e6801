import Timers

/// The requests that wait until the shard of their session has an owner.
struct OwnerWaits {
    private var waits: [Int: [Wait]] = [:]

    private struct Wait {
        /// The instant of the loop's clock at which the wait fails.
        let end: Instant
        let done: Done
    }

    /// Called once: with nil when the shard has an owner, or with the reason why it has none.
    typealias Done = (_ why: String?) -> Void

    /// The number of requests that wait.
    var count: Int { waits.values.reduce(0) { $0 + $1.count } }

    mutating func add(_ shard: Int, until end: Instant, _ done: @escaping Done) {
        waits[shard, default: []].append(Wait(end: end, done: done))
    }

    /// Removes the requests whose wait is over, in the order of their shards. Returns their calls, which may begin other waits.
    mutating func takeFinished(at now: Instant, _ hasOwner: (Int) -> Bool) -> [() -> Void] {
        var calls: [() -> Void] = []
        for shard in waits.keys.sorted() {
            guard let waiting = waits.removeValue(forKey: shard) else { continue }
            if hasOwner(shard) {
                calls += waiting.map { wait in { wait.done(nil) } }
                continue
            }
            calls += waiting.filter { $0.end <= now }.map { wait in
                { wait.done("no node owns the session at present") }
            }
            let rest = waiting.filter { $0.end > now }
            if !rest.isEmpty { waits[shard] = rest }
        }
        return calls
    }

    /// Removes all requests, in the order of their shards. Returns the calls that refuse them.
    mutating func takeAll(why: String) -> [() -> Void] {
        defer { waits = [:] }
        return waits.sorted { $0.key < $1.key }.flatMap(\.value).map { wait in { wait.done(why) } }
    }

    /// When the wait ends that began first, of those for these shards; nil if none waits.
    func earliestEnd(of shards: some Sequence<Int>) -> Instant? {
        if waits.isEmpty { return nil }
        return shards.compactMap { waits[$0]?.map(\.end).min() }.min()
    }
}
