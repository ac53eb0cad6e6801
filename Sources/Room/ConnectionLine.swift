import GameFlow
import Support

/// A line such as `mqtt`, `osc` or `serial` of the configuration: a named connection to devices of the room.
package struct ConnectionLine: Equatable {
    package let name: String
    package let endpoint: any ConnectionEndpoint
    /// An alert begins when nothing has arrived for this time; nil without `quiet=`.
    package var quiet: Duration?

    /// The name of the kind of connection.
    package var word: String { type(of: endpoint).word }
    /// The kind of source that the journal records with the changes that inputs of the connection cause.
    var sourceKind: Source.Kind { Source.Kind(word) }

    /// The line as one of several nodes uses it that all open its connection.
    func ofNode(_ node: String) -> ConnectionLine {
        ConnectionLine(name: name, endpoint: endpoint.ofNode(node), quiet: quiet)
    }

    package static func == (one: ConnectionLine, other: ConnectionLine) -> Bool {
        one.name == other.name && one.endpoint.isEqual(to: other.endpoint)
            && one.quiet == other.quiet
    }
}
