/// Which node sends an output: the one that owns the session, unless the line or its connection belongs to another node.
struct OutputNodes {
    private let own: String
    /// The connections that this node has.
    private let connections: Set<String>
    /// The nodes that have the connections of the configuration.
    private let nodes: [String: String]
    private let isShared: Bool

    /// `options` are those of this node. Without a database that nodes share, this node sends everything.
    init(_ options: Options) {
        (own, nodes, isShared) = (options.node, options.connectionNodes, options.database != nil)
        connections = Set(options.connections.map(\.name))
    }

    /// The node that sends what the line asks for; nil if it is this one.
    func sender(of line: OutputLine) -> String? {
        guard isShared else { return nil }
        let connection = line.target.connection
        let node = line.node ?? (connections.contains(connection) ? nil : nodes[connection])
        return node == own ? nil : node
    }
}
