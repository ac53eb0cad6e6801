import Durability
import RPC

/// A peer with a lasting connection, whose rights can change while it is connected.
protocol AuthorizedPeer: Caller {
    var identity: Identity { get }
    /// The rules or tokens have changed: determines the peer's rights again.
    func review()
    /// Closes the connection.
    func close()
}
