/// Finds the node that sends an output: the owner of the session, unless the line or its connection belongs to another node.
struct OutputNodes {
    /// The name of this node.
    private let ownName: String
    /// The connections that this node has.
    private let connections: Set<String>
    /// The node of each connection that a line of the configuration assigns to a node.
    private let connectionNodes: [String: String]
    /// Whether nodes share a database.
    private let isShared: Bool

    /// `options` are those of this node. Without a database that nodes share, this node sends everything.
    init(_ options: Options) {
        (ownName, connectionNodes) = (options.node, options.connectionNodes)
        isShared = options.database != nil
        connections = Set(options.connections.map(\.name))
    }

    /// The node that sends the outputs of a line; nil for this node.
    func sender(of line: OutputLine) -> String? {
        guard isShared else { return nil }
        let connection = line.target.connection
        let node =
            line.node
            ?? (connections.contains(connection) ? nil : connectionNodes[connection])
        return node == ownName ? nil : node
    }
}
