package import Parts
package import Sessions

/// Acts on the sessions that stay in a state longer than usual. All calls are on the loop's thread.
package protocol StuckSessionObserver: AnyObject {
    /// The session, of the shard with this number, has become stuck.
    func becameStuck(_ session: Session, in number: Int)
    /// Takes over the alerts that the whole journal of a shard contains.
    func restoreAlerts(_ recorded: RecordedAlerts, in number: Int)
}
