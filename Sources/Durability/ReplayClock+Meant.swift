internal import GameFlow
internal import Sessions
internal import Timers

extension ReplayClock.Next {
    /// The session that the timer belongs to.
    var session: SessionName? {
        ((owner as? AnyMachine)?.observer as? Session)?.name
    }

    /// Whether this is the timer that fired at that instant, after it missed that many beats.
    func isMeant(_ name: SessionName?, _ signal: String, _ missed: Int, at instant: Instant) -> Bool
    {
        guard session == name, let machine = owner as? AnyMachine,
            machine.flow.signalName(tag) == signal
        else { return false }
        guard let period else { return true }
        return (instant - deadline).nanoseconds / period.nanoseconds == Int64(missed)
    }
}
