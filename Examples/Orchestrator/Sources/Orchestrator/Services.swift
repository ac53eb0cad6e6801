/// What the app's start needs from the outside world. A test passes fakes.
public protocol Services: Sendable {
    /// The token of the last session; nil if there is none.
    func loadToken() async -> String?
    /// Returns the ID of the token's user; throws if the token is not valid.
    func validate(_ token: String) async throws -> String
    /// Logs a user in and returns the user's ID; throws if that fails.
    func authenticate() async throws -> String
    /// Sends the last batch of changes; throws if it was not acknowledged.
    func synchronize() async throws
}
