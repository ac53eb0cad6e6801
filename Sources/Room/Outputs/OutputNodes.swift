import Cluster
package import Parts
import Shards

/// Finds the node that sends an output: the owner of the session, unless the line or its connection belongs to another node.
package struct OutputNodes {
    /// The name of this node.
    private let ownName: String
    /// The names of the connections that this node has.
    private let connections: Set<String>
    /// For each connection whose line contains `node=`, the name of that node.
    private let connectionNodes: [String: String]
    /// Whether nodes share a database.
    private let isShared: Bool

    /// `options` are the options of this node.
    package init(_ options: Options) {
        (ownName, connectionNodes) = (options.node.name, options.room.connectionNodes)
        isShared = options.store.database != nil
        connections = Set(options.room.connections.map(\.name))
    }

    /// The name of the node that sends the outputs of a line; nil for this node. Without a database that nodes share, this node
    /// sends all outputs.
    package func sender(of line: OutputLine) -> String? {
        guard isShared else { return nil }
        let node = line.node ?? node(of: line.target)
        return node == ownName ? nil : node
    }

    /// The name of the node that has the target's connection. Nil if this node has the connection, or if the target uses no
    /// connection.
    private func node(of target: any OutputTarget) -> String? {
        guard target.usesConnection, !connections.contains(target.connection) else { return nil }
        return connectionNodes[target.connection]
    }
}
