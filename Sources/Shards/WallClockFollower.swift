import EventLoop
import Parts
package import Sessions
import Support
package import Timers

/// Corrects the dates of sessions when the wall clock was set: by hand, by NTP after a start without a battery clock, or, with a
/// database, on the machine of the database. The sessions' own clock never jumps, so no timer fires early or late. Only timers
/// that fire at a time of day get new deadlines.
///
/// The daemon calls `check` at the start and about once a second.
package enum WallClockFollower {
    /// Corrects the dates of the sessions if the wall clock was set by more than `CivilClock.tolerance`. `wallTime` is its
    /// present time. Returns by how much it was set, or nil if it was not. If `isStored` is false, the correction is kept only
    /// in memory.
    package static func check(_ sessions: Sessions, _ wallTime: Instant, isStored: Bool)
        -> Duration?
    {
        if sessions.isVirtual { return nil }
        let lead = wallTime - sessions.now
        // Before the correction is recorded: a replay then finds the deadlines in the changes.
        sessions.followWallClock(withLead: lead)
        let step = lead - sessions.clockCorrections.current
        guard max(step, .zero - step) > CivilClock.tolerance else { return nil }
        sessions.correctClock(by: lead, isStored: isStored)
        return step
    }

    /// Logs that the wall clock was set.
    package static func log(_ step: Duration) {
        let size = DurationText.words(max(step, .zero - step))
        Log.write(
            .warning, .clock,
            "the clock was set \(step > .zero ? "forward" : "back") by \(size): dates and times of day follow it, other timers do not"
        )
    }
}
