/// The daemon's last changes by position, from which a watcher can get the changes that it missed.
typealias ChangeRing = Ring<Change>

extension Change: RingElement {}

extension Ring where Element == Change {
    /// Whether the ring holds all changes after `pos`; false if `pos` is beyond the newest change. Accepts
    /// every `Int`: `pos` comes from a client, so nothing is added to it.
    func holdsAll(after pos: Int) -> Bool { pos >= first - 1 && pos < end }

    /// Returns the position of the session's change that follows `seq`, where `last` is its newest change. Nil
    /// if that change is no longer held or `seq` is beyond the newest change.
    func position(after seq: Int, upTo last: Change?) -> Int? {
        guard let last, seq < last.seq else { return last?.seq == seq ? end : nil }
        var at = last
        while at.seq > seq + 1 {
            guard let previous = self[at.previous] else { return nil }
            at = previous
        }
        return self[at.pos] === at ? at.pos : nil
    }
}
