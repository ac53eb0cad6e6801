/// What the app's start needs from the outside world. A test passes fakes.
public protocol Services: Sendable {
    /// The token of the last session; nil if there is none.
    func loadToken() async -> String?
    /// Whose token it is; throws if it is not valid.
    func validate(_ token: String) async throws -> String
    /// Logs the user in and returns who it is; throws if that fails.
    func authenticate() async throws -> String
    /// Sends the last batch; throws if it was not acknowledged.
    func synchronize() async throws
}
