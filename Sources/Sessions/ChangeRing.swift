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

    /// All changes after position `pos`; nil when some are gone, or `pos` is yet to come.
    func changes(after pos: Int) -> [Change]? {
        guard pos + 1 >= first, pos < end else { return nil }
        return (pos + 1..<end).compactMap { self[$0] }
    }

    /// One session's changes after its `seq`, newest known as `last`; nil when some are gone, or `seq`
    /// is yet to come.
    func changes(after seq: Int, upTo last: Change?) -> [Change]? {
        guard seq <= last?.seq ?? 0 else { return nil }
        var found: [Change] = []
        var at = last
        while let change = at, change.seq > seq {
            guard self[change.pos] === change else { return nil }
            found.append(change)
            at = self[change.previous]
        }
        guard found.last.map({ $0.seq == seq + 1 }) ?? true else { return nil }
        return found.reversed()
    }
}
