internal import Timers

/// The numbers of the visits of states, of all machines of a host together. None is used twice, so a request for a visit of a
/// machine that was closed never fits one of the next machine of that name.
///
/// The store keeps nothing of a closed machine. So that a host does not repeat the numbers that an earlier process gave to such a
/// machine, its numbers begin with the microseconds since 1970: an earlier process has entered fewer states than microseconds have
/// passed since it began.
final class EntryNumbers {
    private var last: Int

    /// Numbers for a host that begins at an instant since 1970.
    init(startingAt now: Instant) { last = max(Int(now.nanoseconds / 1000), 0) }

    /// Continues after a number that is already used. The system's clock may have been set back since.
    func skip(to number: Int) { last = max(last, number) }

    func next() -> Int {
        last += 1
        return last
    }
}
