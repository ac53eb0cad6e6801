/// A way in which clients connect: accepts connections, reads requests, and writes replies and
/// notifications.
///
/// To add one, write a class that conforms to this protocol, and one for its connections that conforms to `Client`; `Listeners`
/// opens it. Requests go to `ProtocolHandler` or `Dispatcher`. All calls are on the loop's thread.
protocol Transport: AnyObject {
    /// After `stop`: the number of clients to which replies are still being sent. The daemon waits for them, up to a limit.
    var unfinished: Int { get }
    /// Stops accepting and reading, and ends the watches of its clients. Replies are still written.
    func stop()
}
