import Access
import Cluster
import EventLoop
import GameFlow
import Net
import Parts
import RPC
import Sessions
package import Shards
import Shell
import Support
import Timers

/// The metrics of the daemon in the OpenMetrics format, which `WebServer` sends at `/metrics`. All web servers share one object.
package final class Metrics {
    /// The content type of the reply.
    package static let type: StaticString =
        "application/openmetrics-text; version=1.0.0; charset=utf-8"
    private unowned let context: ServerContext
    private let census: SessionCensus
    /// For how long the process stood still since the start.
    package var stallTime = Duration.zero
    /// How often the wall clock was set.
    package var clockSteps = 0
    /// As in `JournalUpkeep`.
    package var journalFigures: () -> JournalFigures? = { nil }
    /// The number of clients of each kind.
    package var clients: () -> [(kind: String, count: Int)] = { [] }
    /// The file of each certificate of the daemon, and when it ends, in seconds since 1970.
    package var certificates: () -> [(file: String, end: Int)] = { [] }

    init(_ context: ServerContext) {
        self.context = context
        census = SessionCensus(context.shards, on: context.loop)
    }

    /// The present metrics, as the body of a reply. A reader without `isComplete` gets no labels that name people, devices or
    /// files.
    package func text(isComplete: Bool) -> [UInt8] {
        var page = MetricsPage(isComplete: isComplete)
        page.add(
            .build, [gamedVersion, BuildInformation.commit, BuildInformation.swift], 1)
        ProcessMetrics.write(to: &page)
        writeRequests(to: &page)
        writeLoop(to: &page)
        writeSessions(to: &page)
        writeStorage(to: &page)
        for (kind, count) in clients() { page.add(.clients, [kind], count) }
        for (file, end) in certificates() { page.add(.certificateExpiry, [file], end) }
        page.add(.clockSteps, clockSteps)
        if let router = context.router { write(router, to: &page) }
        for part in context.parts { part.writeMetrics(to: &page) }
        return page.end()
    }

    private func writeRequests(to page: inout MetricsPage) {
        let meter = context.protocolHandler.meter
        meter.forEachCount { page.add(.requests, [$0, $1.name], $2) }
        page.add(.requestSeconds, ["send"], meter.sendTimes)
        page.add(.requestSeconds, ["status"], meter.statusTimes)
        page.add(.requestSeconds, ["other"], meter.otherTimes)
        context.accountLimits.refused.forEachCount { page.add(.limited, [$0, $1], $2) }
        // Refused events that `--audit` did not record.
        let dropped = context.shards.sessions.reduce(0) { $0 + $1.droppedRefusals }
        if dropped > 0 { page.add(.limited, ["auditBytes", LimitedRequests.other], dropped) }
    }

    private func writeLoop(to page: inout MetricsPage) {
        page.add(.turnSeconds, context.loop.turnTimes)
        page.add(.stallSeconds, stallTime)
    }

    private func writeSessions(to page: inout MetricsPage) {
        let counts = context.shards.counts
        page.add(.timerLateness, counts.lateness)
        counts.forEachTransition { page.add(.transitions, [$0, $1, $2], $3) }
        for refusal in counts.refusalCounts {
            page.add(.refusals, [refusal.flow, refusal.reason, refusal.source], refusal.count)
        }
        let present = census.read()
        for (flow, states) in present.sessions {
            for (state, count) in states { page.add(.sessions, [flow, state], count) }
        }
        for (flow, count) in present.timers { page.add(.timers, [flow], count) }
        for sessions in context.shards.sessions {
            for (flow, count) in sessions.stuckMarks.countsByFlow {
                page.add(.sessionsStuck, [flow], count)
            }
            // A session whose rows cannot be read has no known flow.
            for (flow, count) in sessions.quarantinedCountsByFlow {
                page.add(.sessionsQuarantined, [flow ?? LimitedRequests.other], count)
            }
        }
        page.add(
            .sessionsUnread, context.shards.sessions.reduce(0) { $0 + $1.unreadCount })
    }

    private func writeStorage(to page: inout MetricsPage) {
        let counts = context.shards.counts
        page.add(.commitSeconds, counts.commitTimes)
        page.add(.commitRows, counts.commitRows)
        page.add(.storageUp, context.health.storageProblem == nil ? 1 : 0)
        let figures = journalFigures()
        page.add(.backupTimestamp, figures?.lastBackup ?? 0)
        if let figures {
            page.add(.journalRows, figures.rows)
            page.add(.journalBytes, figures.bytes)
        }
    }

    /// Adds the metrics about the nodes that share a store, and about the shards.
    private func write(_ router: ShardRouter, to page: inout MetricsPage) {
        page.add(.shards, context.shards.byNumber.count)
        page.add(.shardsMissing, router.unservedShardCount)
        page.add(.leaseRemaining, max(.zero, router.leases.shortestTrust ?? .zero))
        page.add(.requestsHeld, router.heldRequestCount)
        page.add(.shardMoves, router.shardMoves)
        page.add(.clockSkew, router.leases.skew)
    }
}
