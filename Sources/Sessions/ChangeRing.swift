/// The daemon's last changes, by their position: what a watcher that was away can have again.
typealias ChangeRing = Ring<Change>

extension Change: RingElement {}

extension Ring where Element == Change {
    /// Whether all changes after position `pos` are still held; not so if `pos` is yet to come.
    /// Every `Int` may be asked for: nothing is added to `pos`, which comes from outside.
    func holdsAll(after pos: Int) -> Bool { pos >= first - 1 && pos < end }

    /// The position of a session's change after its `seq`, its newest known as `last`; nil when that is
    /// gone, or `seq` is yet to come.
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
