/// The services that the app's start calls. A test passes fakes.
public protocol Services: Sendable {
    /// The token that an earlier run of the app has stored; nil if there is none.
    func loadToken() async -> String?
    /// Returns the ID of the token's user; throws if the token is not valid.
    func validate(_ token: String) async throws -> String
    /// Logs a user in and returns the user's ID; throws if that fails.
    func authenticate() async throws -> String
    /// Sends the changes that the server does not have yet; throws if they were not acknowledged.
    func synchronize() async throws
}
