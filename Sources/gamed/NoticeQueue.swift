import Sessions

/// What a watcher is still to be told, in order: what it missed, and behind that what has happened
/// since. Only the latter is backlog; what was missed is there already and waits to be asked for.
struct NoticeQueue {
    enum Entry {
        case missed(Change)
        case live(Notice)

        /// The line that goes out.
        var line: [UInt8] {
            switch self {
            case .missed(let change): Notice("change") { $0.change(change) }.line
            case .live(let notice): notice.line
            }
        }
    }

    private var entries = FIFO<Entry>()
    /// The bytes of what has happened and was not told yet.
    private(set) var backlog = 0

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    mutating func append(_ notice: Notice) {
        entries.append(.live(notice))
        backlog += notice.line.count
    }

    mutating func append(missed changes: [Change]) {
        for change in changes { entries.append(.missed(change)) }
    }

    mutating func next() -> Entry? {
        let entry = entries.removeFirst()
        if case .live(let notice) = entry { backlog -= notice.line.count }
        return entry
    }

    mutating func removeAll() {
        entries.removeAll()
        backlog = 0
    }
}
