import Access
import Cluster
import EventLoop
import Net
import Parts
import RPC
import Sessions
import Shards
import Shell
import Timers

/// The metrics of the daemon in the OpenMetrics format, which `WebServer` sends at `/metrics`.
package final class Metrics {
    /// The content type of the reply.
    package static let type: StaticString =
        "application/openmetrics-text; version=1.0.0; charset=utf-8"
    private let context: ServerContext

    package init(_ context: ServerContext) { self.context = context }

    /// Writes the metrics about the nodes that share a store, and about the shards.
    private func writeNodeMetrics(_ router: ShardRouter, _ page: inout MetricsPage) {
        page.gauge("gamed_shards", "Shards that this node owns.", context.shards.byNumber.count)
        page.gauge(
            "gamed_shards_missing",
            "Shards of the store that have no owner, or that this node owns without a trusted lease.",
            router.unservedShardCount)
        page.gauge(
            "gamed_lease_remaining_seconds",
            "Time until the first lease of this node can no longer be trusted; 0 without a trusted lease.",
            max(.zero, router.leases.shortestTrust ?? .zero))
        page.gauge(
            "gamed_store_weak",
            "1 while the database may lose acknowledged changes, by its settings.",
            router.storeSafety?.weaknesses.isEmpty == false ? 1 : 0)
        page.gauge(
            "gamed_requests_held",
            "Requests that wait for the owner of a session, or for this node's leases and store.",
            router.heldRequestCount)
        page.gauge("gamed_nodes", "Nodes that share the store.", router.liveNodeCount)
        page.gauge(
            "gamed_clock_skew_ms",
            "Milliseconds by which the database's clock is ahead of this node's clock.",
            Int(router.leases.skew.milliseconds))
        page.counter(
            "gamed_journal_transactions",
            "Transactions since the start; each transaction writes all rows that wait.",
            router.transactions)
    }

    /// The present metrics, as the body of a reply.
    package func text() -> [UInt8] {
        var page = MetricsPage()
        let (counters, allSessions) = (context.counters, context.shards.sessions)
        // Adds the counts of each shard of this process.
        func sum(_ count: (Sessions) -> Int) -> Int { allSessions.reduce(0) { $0 + count($1) } }
        page.info(
            "gamed_build", "Which build of gamed runs.",
            [
                ("version", gamedVersion), ("commit", BuildInformation.commit),
                ("swift", BuildInformation.swift),
            ])
        page.gauge("gamed_sessions", "Open sessions of this node.", sum(\.count))
        page.gauge(
            "gamed_sessions_quarantined",
            "Sessions that could not be restored after a restart; `gamectl close` discards a session.",
            sum(\.quarantinedCount))
        page.gauge(
            "gamed_timers",
            "Live timers of sessions.",
            sum(\.clock.timerQueue.count))
        page.gauge("gamed_clients", "Connected clients, over all transports.", context.clientCount)
        page.gauge("gamed_web_streams", "Open event streams (SSE).", context.webStreams())
        page.counter(
            "gamed_changes", "Changes of all sessions of this node.",
            sum(\.pos))
        page.counter("gamed_refusals", "Events that sessions refused.", sum(\.refusedCount))
        page.counter(
            "gamed_audit_dropped",
            "Refused events that --audit did not record, because of the limit of bytes per second.",
            sum(\.droppedRefusals))
        page.counter(
            "gamed_forbidden", "Requests refused for lack of rights.", context.authorizer.refusals)
        page.counter("gamed_web_requests", "HTTP requests.", counters.httpRequests)
        page.counter("gamed_clients_admitted", "Accepted connections.", counters.accepted)
        page.counter(
            "gamed_clients_turned_away", "Connections rejected because of a limit.",
            counters.rejected)
        page.counter(
            "gamed_limited", "Requests refused because of a rate limit.",
            context.rateLimiter.refusals)
        page.counter(
            "gamed_late_requests", "HTTP requests that did not arrive in time.",
            counters.lateRequests)
        page.counter(
            "gamed_tls_floods",
            "Connections closed because their TLS records carried no data.",
            context.authorizer.recordFloods)
        page.counter(
            "gamed_overruns", "Watchers disconnected because they did not read.", counters.overruns)
        page.counter(
            "gamed_clock_steps", "How often the wall clock was set by more than a second.",
            counters.clockSteps)
        if let end = context.certificateEnd() {
            page.gauge(
                "gamed_certificate_expiry_timestamp_seconds",
                "When the daemon's first certificate ends, in seconds since 1970.", end,
                unit: "seconds")
        }
        let hasOutage = context.health.storageProblem != nil
        page.gauge(
            "gamed_storage_outage",
            "1 while the journal cannot be written, or has not answered for a second.",
            hasOutage ? 1 : 0)
        page.gauge(
            "gamed_storage_up",
            "1 while the journal answers; the opposite of gamed_storage_outage.",
            hasOutage ? 0 : 1)
        if let router = context.router { writeNodeMetrics(router, &page) }
        if let shard = context.shards.only, shard.hasJournal {
            page.counter(
                "gamed_journal_rows", "Durable rows; equals the position of the newest row.",
                shard.sessions.durableRow)
            page.counter(
                "gamed_journal_transactions",
                "Transactions since the start; each transaction writes all rows that wait.",
                shard.transactions)
        }
        for part in context.parts { part.writeMetrics(to: &page) }
        let uptime = context.loop.timerQueue.now - context.start
        page.gauge(
            "gamed_uptime_seconds", "Time since the start.", Int(uptime.milliseconds / 1000),
            unit: "seconds")
        return page.end()
    }
}
