import JSONCoding
package import RPC

/// The reply to a client that lists or watches all sessions. Each owner returns a page of its sessions; this type merges the
/// pages into one page, sorted by name. An owner is a shard of this node, or another node with all its shards.
package struct MergedPages {
    /// The maximum number of sessions in the merged page.
    private let limit: Int
    /// The number of all shards.
    private let shardCount: Int
    /// The number of shards whose sessions are not in the page.
    package private(set) var missingShardCount: Int
    /// The sessions as JSON, by name.
    private var sessions: [String: [UInt8]] = [:]
    /// Whether sessions were left out that are behind the end of the page.
    private var hasMore = false
    /// The owners that have more sessions than their newest pages, with the last name of that page.
    private var continuing: [ShardRouter.Owner: String] = [:]
    /// The first mistake in the request that an owner reported; nil if no owner reported one.
    private var error: RelayedError?
    /// The position up to which the pages show the changes of each shard.
    package private(set) var cursor: ClusterCursor

    /// Whether the cursor also names the shards whose position is 0. Another node must know them.
    private let namesAllShards: Bool

    /// `start` has the positions of the shards whose pages are not added.
    package init(
        limit: Int, shardCount: Int, missingShardCount: Int, from start: ClusterCursor,
        namesAllShards: Bool = false
    ) {
        (self.limit, self.shardCount, cursor) = (limit, shardCount, start)
        self.namesAllShards = namesAllShards
        self.missingShardCount = missingShardCount
    }

    /// Adds the page of an owner, which shows the changes up to these positions. The page replaces what an earlier page has of
    /// the same sessions.
    package mutating func add(_ page: RelayedPage, at positions: ClusterCursor?) {
        hasMore = hasMore || page.hasMore
        insert(page, at: positions)
    }

    /// Adds the page of an owner, which may be asked for its next page.
    package mutating func add(
        _ page: RelayedPage, of owner: ShardRouter.Owner, at positions: ClusterCursor?
    ) {
        continuing[owner] = page.hasMore ? page.sessions.last?.name : nil
        insert(page, at: positions)
    }

    private mutating func insert(_ page: RelayedPage, at positions: ClusterCursor?) {
        for session in page.sessions { sessions[session.name] = session.json }
        // The pages of many owners may be much larger than the merged page.
        if sessions.count > 4 * limit + 1000 { dropRest() }
        // The number comes from another node, and may be any.
        missingShardCount += min(max(0, page.missingShardCount), shardCount)
        if let positions { cursor.positions.merge(positions.positions) { $1 } }
    }

    /// The names of the sessions in their order.
    private var names: [String] { sessions.keys.sorted() }

    /// Removes the sessions behind the end of the page.
    private mutating func dropRest() {
        for name in names.dropFirst(limit) {
            sessions[name] = nil
            hasMore = true
        }
    }

    /// The owners that may have sessions before the end of the page which their pages lack, in the order of their last names.
    package var ownersInsidePage: [(owner: ShardRouter.Owner, last: String)] {
        if continuing.isEmpty { return [] }
        let end = names.dropFirst(limit - 1).first
        return continuing.filter { _, last in end.map { last < $0 } ?? true }
            .sorted { $0.value < $1.value }.map { ($0.key, $0.value) }
    }

    /// Counts the shards of an owner as missing, because the owner did not answer. `shardCount` is their number.
    package mutating func addMissing(_ owner: ShardRouter.Owner, shardCount: Int) {
        // It is not asked for the rest of its sessions.
        continuing[owner] = nil
        missingShardCount += shardCount
    }

    /// Records the error that an owner of `shardCount` shards returned in place of a page.
    mutating func addError(_ error: RelayedError, of owner: ShardRouter.Owner, shardCount: Int) {
        continuing[owner] = nil
        // The error `storage` means that this owner cannot answer now. Any other error is a mistake in the request, which all
        // owners report.
        if error.name == "storage" {
            missingShardCount += shardCount
        } else {
            self.error = self.error ?? error
        }
    }

    /// Whether the reply is an owner's error.
    var isRefused: Bool { error != nil && sessions.isEmpty }

    /// The merged page as the reply to the client, or an owner's error if there are no sessions.
    package func reply(to method: Method) -> RoutedReply {
        if let error, sessions.isEmpty { return .error(error) }
        return .result(
            JSONWriter.bytes { writer in
                writer.beginObject()
                // The reply to `unwatch` has no page of sessions, only the number of missing shards.
                if method != .unwatch { writeSessions(to: &writer) }
                if method == .watch { writeCursor(to: &writer) }
                writeMissingShards(to: &writer)
                writer.endObject()
            })
    }

    /// The notification with the present state of all sessions, in place of changes that an owner no longer remembers. `since`
    /// is the `pos` after which the client asked for changes.
    package func gap(since: Int) -> EncodedNotification {
        EncodedNotification("gap", pos: cursor.pos) { writer in
            writer.beginObject()
            writer.name("session")
            writer.string("*")
            writer.name("since")
            writer.int(since)
            writeCursor(to: &writer)
            writeSessions(to: &writer)
            writeMissingShards(to: &writer)
            writer.endObject()
        }
    }

    private func writeSessions(to writer: inout JSONWriter) {
        let sorted = sessions.sorted { $0.key < $1.key }
        writer.name("sessions")
        writer.beginArray()
        for session in sorted.prefix(limit) { writer.json(session.value) }
        writer.endArray()
        writer.name("more")
        writer.bool(hasMore || !continuing.isEmpty || sorted.count > limit)
    }

    private func writeMissingShards(to writer: inout JSONWriter) {
        guard missingShardCount > 0 else { return }
        writer.name("missing")
        writer.int(missingShardCount)
        writer.name("shards")
        writer.int(shardCount)
    }

    private func writeCursor(to writer: inout JSONWriter) {
        writer.name("pos")
        writer.int(cursor.pos)
        writer.name("cursor")
        writer.string(namesAllShards ? cursor.textOfAllShards : cursor.text)
    }
}
