package import Cluster
package import EventLoop
package import Outputs
import Timers

/// Makes the attempts to deliver outputs, for all kinds of targets.
package final class OutputSenders {
    private let senders: [any OutputSender]
    /// Reaches the other nodes; nil if the daemon shares no database.
    private let requests: NodeRequests?

    package init(_ connections: RoomConnections, _ requests: NodeRequests?, on loop: LibeventLoop)
        throws(EventLoopError)
    {
        var senders: [any OutputSender] = []
        for kind in RoomKinds.outputs { senders.append(try kind.sender(connections, on: loop)) }
        if let requests { senders.append(StepSender(requests)) }
        (self.senders, self.requests) = (senders, requests)
    }

    /// Ends the programs that run, and calls `done` when they have ended.
    package func end(_ done: @escaping () -> Void) {
        var running = senders.count
        for sender in senders {
            sender.end {
                running -= 1
                if running == 0 { done() }
            }
        }
    }

    /// Does for the targets what takes longer than an attempt may take.
    package func prepare(for targets: [any OutputTarget]) {
        for sender in senders { sender.prepare(for: targets) }
    }

    /// Makes one attempt, and calls `done` at most once: before it returns, or later. If a broker does not acknowledge a
    /// message, `done` is not called: the caller must have a time-out.
    package func send(_ attempt: OutputAttempt, _ done: @escaping (DeliveryResult) -> Void) {
        if case .other(let node) = attempt.node { return send(attempt, by: node, done) }
        // The step of another session has no sender if there are no other nodes.
        if !senders.contains(where: { $0.take(attempt, done) }) {
            done(.impossible("there are no other nodes"))
        }
    }

    /// Lets another node make the attempt.
    private func send(
        _ attempt: OutputAttempt, by node: String, _ done: @escaping (DeliveryResult) -> Void
    ) {
        guard let router = requests?.router, let output = RelayedOutput(attempt) else {
            return done(.failed("node \(node) cannot send this"))
        }
        guard let link = router.link(toNodeNamed: node) else {
            return done(.failed("node \(node) is unavailable"))
        }
        // The nodes compare this deadline with the time of the database, which they share.
        link.deliver(output.value, until: router.databaseTime.map { $0 + attempt.timeout }) {
            result in
            done(result.why.map { .failed("node \(node): \($0)") } ?? .delivered)
        }
    }
}
