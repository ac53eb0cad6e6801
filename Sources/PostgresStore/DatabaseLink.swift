/// A store's connection to its database, which is made again after a loss. Used on the loop's thread.
///
/// `PostgresLink` is the connection to a server; a test has a model of one.
package protocol DatabaseLink: AnyObject {
    /// Whether there is a connection now.
    var isConnected: Bool { get }
    /// Called when there is a new connection.
    var opened: () -> Void { get set }
    /// Called when the connection is lost, after the commands that wait have failed, and for each attempt that fails.
    var failed: (PostgresError) -> Void { get set }
    /// Begins to connect.
    func start()
    /// Ends the connection, and makes no further one.
    func stop()
    /// Executes commands as one transaction, after those that were sent before, and calls `done` once with their results in the
    /// order of the commands. Fails at once if there is no connection.
    func execute(
        _ commands: [PostgresCommand],
        _ done: @escaping (Result<[PostgresResult], PostgresError>) -> Void)
}
