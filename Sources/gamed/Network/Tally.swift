/// Counters since the start, for the daemon's metrics.
final class Tally {
    /// HTTP requests.
    var web = 0
    /// Clients that were accepted, and that were rejected.
    var admitted = 0
    var turnedAway = 0
    /// Watchers whose backlog exceeded the limit.
    var overruns = 0
    /// Requests that did not arrive in time.
    var late = 0
}
