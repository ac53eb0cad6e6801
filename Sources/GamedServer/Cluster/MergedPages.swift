import JSONCoding
import RPC

/// Merges the pages of sessions that several owners return into one page, sorted by name.
struct MergedPages {
    /// The maximum number of sessions in the merged page.
    private let limit: Int
    /// The number of shards whose sessions are not in the page.
    private var missing: Int
    private var sessions: [(name: String, json: [UInt8])] = []
    private var hasMore = false
    private var error: RelayedError?
    private(set) var cursor = ClusterCursor()

    init(limit: Int, missing: Int) { (self.limit, self.missing) = (limit, missing) }

    /// Adds the page of an owner. `shard` is nil if the owner is another node, whose cursor has a position for each
    /// of its shards.
    mutating func add(_ page: RelayedPage, _ shard: Int?) {
        sessions += page.sessions
        hasMore = hasMore || page.more
        missing += page.missing
        guard let text = page.cursor else { return }
        if let shard {
            cursor.positions[shard] = Cursor(text)?.pos ?? 0
        } else if let ownerCursor = ClusterCursor(text) {
            cursor.positions.merge(ownerCursor.positions) { $1 }
        }
    }

    /// Counts the shards of an owner that did not answer.
    mutating func addMissing(_ shards: Int) { missing += shards }

    /// Records the error that an owner of `shards` shards returned in place of a page.
    mutating func addError(_ error: RelayedError, ofOwnerOf shards: Int) {
        // With `storage` this owner cannot answer now. Any other error is a mistake in the request, the same at all owners.
        if error.name == "storage" { missing += shards } else { self.error = self.error ?? error }
    }

    func reply(to method: Method) -> RoutedReply {
        if let error, sessions.isEmpty { return .error(error) }
        return .result(
            JSONWriter.bytes { writer in
                writer.beginObject()
                if method != .unwatch { writeSessions(to: &writer) }
                if method == .watch { writeCursor(to: &writer) }
                if missing > 0 {
                    writer.name("missing")
                    writer.int(missing)
                }
                writer.endObject()
            })
    }

    /// The notification with the present state of all sessions, in place of changes that an owner no longer remembers. `since`
    /// is the `pos` after which the client asked for changes.
    func gap(since: Int) -> EncodedNotification {
        EncodedNotification("gap", pos: cursor.pos) { writer in
            writer.beginObject()
            writer.name("session")
            writer.string("*")
            writer.name("since")
            writer.int(since)
            writeCursor(to: &writer)
            writeSessions(to: &writer)
            writer.endObject()
        }
    }

    private func writeSessions(to writer: inout JSONWriter) {
        let sorted = sessions.sorted { $0.name < $1.name }
        writer.name("sessions")
        writer.beginArray()
        for session in sorted.prefix(limit) { writer.json(session.json) }
        writer.endArray()
        writer.name("more")
        writer.bool(hasMore || sorted.count > limit)
    }

    private func writeCursor(to writer: inout JSONWriter) {
        writer.name("pos")
        writer.int(cursor.pos)
        writer.name("cursor")
        writer.string(cursor.text)
    }
}
