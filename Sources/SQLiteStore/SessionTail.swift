internal import Journal

/// A row as the index of sessions has it.
struct IndexEntry: Equatable {
    let seq: Int
    let position: Int
    /// The number of the row's kind, which may be unknown.
    let kind: Int

    /// The order of a session's entries, in the index and in a search.
    var place: (seq: Int, position: Int) { (seq, position) }
}

/// The rows after the indexed position, by session. They are in memory, because an index in the file would cost the writer more
/// than the rows: each commit would write one page for each session. `JournalWorker` adds them to the index when the log is moved
/// into the file, or when they are many.
struct SessionTail {
    /// The entries of each session, in the order of their positions.
    private var entriesBySession: [String: [IndexEntry]] = [:]
    /// The position of the newest row; 0 if there is none.
    private(set) var newestPosition = 0
    /// The number of rows.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    /// The sessions, in the order of the index.
    var sessions: [String] { entriesBySession.keys.sorted() }

    /// The entries of a session, in the order of their positions.
    func entries(of session: String) -> [IndexEntry] { entriesBySession[session] ?? [] }

    /// Adds a row, whose position is greater than that of each earlier row.
    mutating func add(_ session: String, _ entry: IndexEntry) {
        entriesBySession[session, default: []].append(entry)
        newestPosition = entry.position
        count += 1
    }

    /// Removes the rows up to a position.
    mutating func remove(upTo position: Int) {
        entriesBySession = entriesBySession.compactMapValues { entries in
            let rest = entries.drop { $0.position <= position }
            count -= entries.count - rest.count
            return rest.isEmpty ? nil : Array(rest)
        }
    }
}

/// The place that was reached while the rows of a tail are added to the index. The rows are added session by session, as they
/// are sorted in the index, so that each page of the index is written once. Rows that the tail gets meanwhile are left out.
struct IndexFilling {
    /// The position up to which rows are added.
    let target: Int
    private let sessions: [String]
    /// The session whose rows are added now, and the row that is added next.
    private var (session, row) = (0, 0)

    init(_ tail: SessionTail) { (sessions, target) = (tail.sessions, tail.newestPosition) }

    /// The next row to add; nil if none is left.
    mutating func next(in tail: SessionTail) -> (session: String, entry: IndexEntry)? {
        while session < sessions.count {
            let entries = tail.entries(of: sessions[session])
            if row < entries.count, entries[row].position <= target {
                row += 1
                return (sessions[session], entries[row - 1])
            }
            (session, row) = (session + 1, 0)
        }
        return nil
    }
}
