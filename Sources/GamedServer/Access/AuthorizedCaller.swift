import Durability
import RPC

/// A client with a lasting connection. Its rights can change while it is connected.
protocol AuthorizedCaller: Caller {
    var identity: Identity { get }
    /// Determines the rights again. Called when the rules have changed.
    func updateRights()
    /// Closes the connection.
    func close()
}
