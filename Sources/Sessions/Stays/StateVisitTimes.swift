/// How long the newest visits of one state lasted.
package final class StateVisitTimes {
    /// The state's name.
    package let state: String
    /// Whether the state is final. Nobody waits for the end of such a state, so its sessions are never stuck.
    let isFinal: Bool
    @exclusivity(unchecked) private var recent = RecentTimes()

    init(_ state: String, isFinal: Bool) { (self.state, self.isFinal) = (state, isFinal) }

    /// Adds a visit that lasted `time` nanoseconds; `end` is the instant at which it ended, in nanoseconds.
    package func add(_ time: Int64, endedAt end: Int64) { recent.add(time, endedAt: end) }
    /// Removes a visit that was undone.
    package func remove(_ time: Int64) { recent.remove(time) }
    /// Whether `p90` is known without sorting the times.
    var isP90Known: Bool { recent.isP90Known }
    /// The time in nanoseconds that nine of ten visits do not exceed; nil if too few visits are known.
    var p90: Int64? { recent.p90 }
}
