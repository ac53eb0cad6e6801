/// A server for one way in which clients connect: accepts connections, reads requests, and writes replies and notifications.
/// `LineServer` and `WebServer` conform.
///
/// To add a transport, write a class that conforms to this protocol. Write a second class for its connections, which conforms
/// to `Client`. `Listeners` opens the transport. Requests go to `ProtocolHandler` or `Dispatcher`. All calls are on the loop's
/// thread.
package protocol Transport: AnyObject {
    /// After `stop`: the number of clients to which replies are still being sent. The daemon waits for these replies, at most
    /// for the limit `stopGrace`.
    var unfinishedClients: Int { get }
    /// Closes all connections and those that wait to be accepted. What was sent to the daemon over them is not read, and
    /// replies that wait are not sent. New connections are accepted.
    func dropConnections()
    /// Stops accepting connections and reading requests, and ends the clients' watches. Replies are still written.
    func stop()
}
