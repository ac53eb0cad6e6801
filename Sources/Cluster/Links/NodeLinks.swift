import EventLoop
import Parts
import PostgresStore
import Support
import Timers

/// The connections of this node to other nodes, by the identities of the nodes. Each is made when it is needed.
final class NodeLinks {
    private let environment: NodeEnvironment
    private var links: [String: NodeLink] = [:]
    /// The nodes to which a connection has failed.
    private var faults: [String: NodeFault] = [:]
    /// Whether `close` was called.
    private var isEnding = false

    init(_ environment: NodeEnvironment) { self.environment = environment }

    /// Returns the connection to a node, and begins it if necessary. Returns nil if the node has no address, or could not be
    /// reached a moment ago.
    func link(to node: LeaseTable.Node) -> NodeLink? {
        if let link = links[node.identity] { return link }
        let address = node.description.address
        guard !isEnding, !address.isEmpty,
            (faults[node.identity]?.retryInstant).map({ $0 <= now }) ?? true
        else { return nil }
        let link = NodeLink(to: node.identity, at: address, environment)
        links[node.identity] = link
        link.ended = { [unowned self, unowned link] why in
            if links[node.identity] === link { links[node.identity] = nil }
            if !isEnding { record(why, of: node, hasWorked: link.hasWorked) }
        }
        return link
    }

    private var now: Instant { environment.loop.timerQueue.now }

    private func record(_ why: String, of node: LeaseTable.Node, hasWorked: Bool) {
        guard faults[node.identity, default: NodeFault()].record(why, hasWorked: hasWorked, at: now)
        else { return }
        let description = node.description
        Log.write(
            .warning, .connection, "node \(description.name) at \(description.address): \(why)",
            [.node(description.name), .reason(why)])
    }

    /// Whether a node can be reached, as far as is known.
    func isReachable(_ node: String) -> Bool {
        faults[node] == nil || links[node]?.phase == .ready
    }

    /// Ends the connections to the nodes that are not alive.
    func endOthers(than alive: Set<String>) {
        for node in Set(links.keys).union(faults.keys).subtracting(alive) {
            faults[node] = nil
            links.removeValue(forKey: node)?.end("the node has ended")
        }
    }

    /// Ends all connections. They are made again when they are needed.
    func endAll(_ why: String) {
        for link in exchange(&links, with: [:]).values { link.end(why) }
    }

    /// Ends all connections, and makes no others.
    func close() {
        isEnding = true
        endAll("this node ends")
    }
}
