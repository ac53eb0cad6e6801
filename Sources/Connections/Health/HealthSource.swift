/// What may keep this process from answering requests, besides its storage.
package protocol HealthSource {
    /// Why the daemon is not ready; nil if it is. `held` is how long a request has been held in a shard of this process.
    func problem(holding held: Duration) -> Health.Problem?
}
