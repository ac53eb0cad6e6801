import RPC
import Sessions
package import Shards
package import Timers

/// Answers whether this process can answer requests for its own sessions: `/readyz`, and the metrics about the storage.
///
/// The daemon is not ready if its storage has failed, or if something that belongs to this process has waited for longer than
/// `patience`: an append of rows, a renewal of its leases, or a request for a session that it owns. Requests for sessions of
/// other nodes do not count, because those nodes answer for themselves.
package final class Health {
    private let clock: any TimerClock
    private let sources: [any HealthSource]
    private let ownShards: OwnShards
    /// Looks at the sessions and the shards at intervals.
    private var pulse = Ticker()
    private var watches: [Int: ShardWatch] = [:]

    /// What is watched of a shard of this process.
    private struct ShardWatch {
        /// The rows that are not durable.
        var rows = ProgressWatch()
        /// The requests that are held.
        var requests = ProgressWatch()

        mutating func record(_ shard: Shard, at now: Instant) {
            rows.record(
                isWaiting: shard.sessions.uncommittedRows > 0, progress: shard.sessions.durableRow,
                at: now)
            requests.record(
                isWaiting: shard.heldRequests > 0, progress: shard.decidedRequests, at: now)
        }
    }

    /// How long something may wait before the daemon is not ready.
    static let patience = Duration.seconds(1)
    /// How often the sessions are looked at. A wait is noticed by this time later than it began.
    package static let interval = Duration.milliseconds(200)

    /// Why the daemon is not ready.
    package struct Problem: Equatable {
        /// The reason in words, without paths and addresses.
        package let why: String
        /// The reason for operators, which can contain a path or an address.
        private let whyForOperators: String

        package init(why: String) { (self.why, whyForOperators) = (why, why) }

        /// A problem about which operators get details.
        init(why: String, detail: String) {
            (self.why, whyForOperators) = (why, "\(why): \(detail)")
        }

        /// The reason as it is shown to a client.
        package func sentence(isForOperator: Bool) -> String {
            isForOperator ? whyForOperators : why
        }
    }

    package init(
        on clock: any TimerClock, _ shards: OwnShards, _ sources: [any HealthSource]
    ) {
        (self.clock, ownShards, self.sources) = (clock, shards, sources)
        pulse.start(on: clock, Self.interval) { [unowned self] _ in look() }
    }

    /// Records what waits at this moment.
    private func look() {
        let now = clock.now
        watches = watches.filter { ownShards.byNumber[$0.key] != nil }
        for (number, shard) in ownShards.byNumber {
            watches[number, default: ShardWatch()].record(shard, at: now)
        }
    }

    /// Why the daemon is not ready; nil if it is.
    package var problem: Problem? {
        storageProblem ?? otherProblem
    }

    /// Why rows cannot be stored at present; nil if they can.
    var storageProblem: Problem? {
        if let outage = ownShards.outage {
            return Problem(why: RequestError.storageFailed, detail: outage)
        }
        let now = clock.now
        let waits = watches.values.map { $0.rows.waitingTime(at: now) }
        guard let longest = waits.max(), longest >= Self.patience else { return nil }
        return Problem(why: "the storage has not answered for \(Self.seconds(longest))")
    }

    private var otherProblem: Problem? {
        let now = clock.now
        let held = watches.values.map { $0.requests.waitingTime(at: now) }.max() ?? .zero
        return sources.lazy.compactMap { $0.problem(holding: held) }.first
    }

    static func seconds(_ duration: Duration) -> String {
        "\(duration.milliseconds / 1000) s"
    }
}
