import GameFlow
import JSONCoding
import Support

/// A message by which a daemon says that it publishes below a prefix. Daemons that publish below one prefix notice each other by
/// these messages, because `status` does not tell which daemon has set it. They are not retained.
package struct PrefixClaim: Equatable {
    /// The instance of the daemon. All nodes that share a database have one.
    package let instance: String
    /// The name of the daemon's node.
    package let node: String
    /// Whether other daemons are to answer by a claim of their own.
    package let asks: Bool

    package init(instance: String, node: String, asks: Bool) {
        (self.instance, self.node, self.asks) = (instance, node, asks)
    }

    /// Reads a claim; nil if the payload is not a claim.
    package init?(_ payload: [UInt8]) {
        guard case .object(let members)? = Value(json: payload),
            let instance = members["instance"]?.text, let node = members["node"]?.text
        else { return nil }
        self.init(instance: instance, node: node, asks: members["asks"] == .bool(true))
    }

    package var payload: String {
        let bytes = JSONWriter.bytes {
            $0.object([
                Member("instance", instance), Member("node", node), Member("asks", .bool(asks)),
            ])
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
