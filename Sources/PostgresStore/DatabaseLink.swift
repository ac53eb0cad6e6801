/// A store's connection to its database, which is restored after a loss. Use it on the loop's thread.
///
/// `PostgresLink` connects to a server; simulations use a link to a model of PostgreSQL.
package protocol DatabaseLink: AnyObject {
    /// Whether there is a connection now.
    var isConnected: Bool { get }
    /// Called when there is a new connection.
    var opened: () -> Void { get set }
    /// Called for each failed attempt to connect, and when the connection is lost. The waiting commands have failed by then.
    /// `silence` is how long the server has not answered a command before the connection was given up; zero for other failures.
    var failed: (_ error: PostgresError, _ silence: Duration) -> Void { get set }
    /// Begins to connect.
    func start()
    /// Ends the connection, and makes no further one.
    func stop()
    /// Executes commands as one transaction, after all commands that were sent earlier. Calls `done` once with the results, in
    /// the order of the commands. Fails at once if there is no connection.
    func execute(
        _ commands: [PostgresCommand],
        _ done: @escaping (Result<[PostgresResult], PostgresError>) -> Void)
}
