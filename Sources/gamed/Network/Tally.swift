/// What has happened since the start, counted for whoever watches the daemon itself.
final class Tally {
    /// Requests of HTTP.
    var web = 0
    /// Clients that were let in, and that were turned away.
    var admitted = 0
    var turnedAway = 0
    /// Watchers that did not read.
    var overruns = 0
    /// Requests that did not come in time.
    var late = 0
}
