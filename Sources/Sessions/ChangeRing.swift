/// The daemon's last changes, by their position: what a watcher that was away can have again.
struct ChangeRing {
    private var changes: [Change?]
    private let byteLimit: Int
    private var bytes = 0
    /// The positions held: `first..<end`; positions count from 1.
    private(set) var first = 1
    private(set) var end = 1

    init(limit: Int, byteLimit: Int) {
        changes = Array(repeating: nil, count: max(1, limit))
        self.byteLimit = byteLimit
    }

    subscript(_ pos: Int) -> Change? {
        first..<end ~= pos ? changes[pos % changes.count] : nil
    }

    /// Takes the change at position `end`; the oldest goes when there is no more room.
    mutating func append(_ change: Change) {
        precondition(change.pos == end, "positions have no gap")
        if end - first == changes.count { forgetFirst() }
        changes[end % changes.count] = change
        end += 1
        bytes += change.weight
        while bytes > byteLimit, first < end { forgetFirst() }
    }

    private mutating func forgetFirst() {
        bytes -= changes[first % changes.count]?.weight ?? 0
        changes[first % changes.count] = nil
        first += 1
    }

    /// Whether all changes after position `pos` are still held; not so if `pos` is yet to come.
    func holdsAll(after pos: Int) -> Bool { pos + 1 >= first && pos < end }

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
