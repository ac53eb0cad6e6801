import Cluster
package import Parts
import Shards

/// The node that sends an output.
package enum SendingNode: Equatable {
    case this
    case other(name: String)
}

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

    /// The node that sends the outputs of a line.
    package func sender(of line: OutputLine) -> SendingNode {
        guard isShared, let node = line.node ?? node(of: line.target), node != ownName else {
            return .this
        }
        return .other(name: node)
    }

    /// The name of the node that has the target's connection. Nil if this node has the connection, or if the target uses no
    /// connection.
    private func node(of target: any OutputTarget) -> String? {
        guard target.usesConnection, !connections.contains(target.connection) else { return nil }
        return connectionNodes[target.connection]
    }
}
