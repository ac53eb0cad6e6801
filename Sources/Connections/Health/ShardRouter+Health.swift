package import Cluster
import Timers

/// A node is not ready if its leases are not renewed, or if it does not get requests to an owner.
extension ShardRouter: HealthSource {
    package func problem(holding held: Duration) -> Health.Problem? {
        leaseProblem ?? requestProblem(held)
    }

    private var leaseProblem: Health.Problem? {
        if let overdue = leases.overdueRenewal(after: Health.patience) {
            return Health.Problem(
                why: "the leases of this node were not renewed for \(Health.seconds(overdue))")
        }
        if let remaining = leases.shortestTrust, remaining <= .zero {
            return Health.Problem(why: "the leases of this node are not trusted")
        }
        return nil
    }

    private func requestProblem(_ held: Duration) -> Health.Problem? {
        let longest = max(held, longestWaitForOwnShard)
        if longest >= Health.patience {
            return Health.Problem(why: "requests have been held for \(Health.seconds(longest))")
        }
        guard reachesAnOwner else {
            return Health.Problem(
                why: "this node owns no shard, and reaches no node that owns one")
        }
        return nil
    }
}
