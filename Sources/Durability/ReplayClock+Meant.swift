internal import GameFlow
internal import Sessions
internal import Timers

extension ReplayClock.Next {
    /// The session whose timer it is.
    var session: SessionName? {
        ((owner as? AnyMachine)?.observer as? Session)?.name
    }

    /// Whether it is the timer that fired at an instant, so many beats late.
    func isMeant(_ name: SessionName?, _ signal: String, _ missed: Int, at instant: Instant) -> Bool
    {
        guard session == name, let machine = owner as? AnyMachine,
            machine.flow.signalName(tag) == signal
        else { return false }
        guard let period else { return true }
        return (instant - deadline).nanoseconds / period.nanoseconds == Int64(missed)
    }
}
